/** The formats of translation files, by file extension. */
import { type FileEnding, fileEnding } from '../../shared/file-pattern.ts'
import type { FileFormat } from './format.ts'
import { json, json5, jsonc } from './json/json.ts'
import { yaml } from './yaml/yaml.ts'

const FORMATS: Readonly<Record<FileEnding, FileFormat>> = {
  '.json': json,
  '.jsonc': jsonc,
  '.json5': json5,
  '.yaml': yaml,
  '.yml': yaml,
}

/** The format of a file; JSON if the file has no name or an unknown extension. */
export function formatOf(file: string | undefined): FileFormat {
  return FORMATS[fileEnding(file ?? '') ?? '.json']
}
