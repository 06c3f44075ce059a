/** The extensions of translation files. They determine the format. */

export const FILE_ENDINGS = ['.json', '.jsonc', '.json5', '.yaml', '.yml'] as const

export type FileEnding = (typeof FILE_ENDINGS)[number]

/** `undefined` if this is not the name of a translation file. */
export function fileEnding(path: string): FileEnding | undefined {
  return FILE_ENDINGS.find((ending) => path.endsWith(ending))
}
