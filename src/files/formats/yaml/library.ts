import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'

const require = createRequire(import.meta.url)

/** Loads the library when the first YAML file is parsed: `require` because most files are read synchronously. */
export function yamlLibrary(): typeof Yaml {
  return require('yaml') as typeof Yaml
}
