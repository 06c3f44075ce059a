/** The endings of translation files. The ending selects the file's format. */

export const FILE_ENDINGS = ['.json', '.jsonc', '.json5', '.yaml', '.yml'] as const

export type FileEnding = (typeof FILE_ENDINGS)[number]

/** `undefined`: not the name of a translation file. */
export function fileEnding(path: string): FileEnding | undefined {
  return FILE_ENDINGS.find((ending) => path.endsWith(ending))
}
