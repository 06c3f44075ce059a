/** YAML 1.2 without anchors, aliases, merges, tags and several documents. */
import type { FileFormat } from '../format.ts'
import { parseYaml } from './parse.ts'
import { yamlPrinter } from './print.ts'

export const yaml: FileFormat = {
  isPlain: false,
  loadPlainJson: async () => (await import('./plain.ts')).plainYamlAsJson,
  newBranches: 'block',
  parse: parseYaml,
  createPrinter: ({ eol }) => yamlPrinter(eol),
}
