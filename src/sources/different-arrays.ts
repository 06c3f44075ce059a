import { checkArrays } from '../catalog/check-arrays.ts'
import { createTranslations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import type { FilesResult } from './files.ts'
import { createLocator } from './locate.ts'

/** Each of them costs a file that is read again. */
const LOCATED = 20

/** Warns where a name is an array in one language and something else in the default language. */
export async function differentArrays(config: ResolvedConfig, files: FilesResult): Promise<Diagnostic[]> {
  const { catalog } = files
  if (catalog.parts.every(({ values }) => values === undefined)) return []
  const { defaultLanguage } = createTranslations(catalog, { ...config, defaultLanguage: undefined })
  const { keySeparator, defaultLanguage: configured = defaultLanguage } = config
  const findings = checkArrays(catalog, { defaultLanguage: configured, keySeparator, lengths: false })
  const locate = createLocator(config, files)
  const located = await Promise.all(findings.map((finding, i) => (i < LOCATED ? locate(finding) : finding)))
  return located.map(({ severity, message, place }) => ({ severity, code: 'FILE_VALUE', message, place }))
}
