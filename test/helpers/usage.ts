/** What sources use, in short: for tests that look at one construct each. */
import { posix } from 'node:path'
import { createCatalog } from '../../src/catalog/model.ts'
import { type AnalyzerOptions, createAnalyzer } from '../../src/usage/analyze.ts'
import type { ModuleUsage } from '../../src/usage/model.ts'
import { missingFindings } from '../../src/usage/unused.ts'
import { createUsedKeys, type UsedKeys, type UsedKeysSettings } from '../../src/usage/used-keys.ts'

/** `ns1|ns2/key`; without namespaces, the default ones; `?` for a use that keeps its namespaces whole. No guesses. */
export function usesIn(code: string, file = 'app.tsx', options: AnalyzerOptions = {}): string[] {
  const usage = createAnalyzer(options).analyze(code, file)
  const where = (namespaces: ModuleUsage['uses'][number]['namespaces']) => {
    if (namespaces === 'default') return ''
    return `${namespaces === 'any' ? 'any' : namespaces.join('|')}/`
  }
  const all = [
    ...usage.uses.filter(({ isGuess }) => !isGuess).map(({ namespaces, key }) => where(namespaces) + key),
    ...usage.unknown.filter(({ isGuess }) => !isGuess).map(({ namespaces }) => `${where(namespaces)}?`),
  ]
  return [...new Set(all)]
}

const SETTINGS: UsedKeysSettings = { defaultNamespace: 'default', namespaces: ['default', 'shop', 'common'] }

/** The used keys of an app of these files. They import each other by relative paths. */
export function usedIn(
  files: Readonly<Record<string, string>>,
  settings: Partial<UsedKeysSettings> = {},
  options: AnalyzerOptions = {},
): UsedKeys {
  const { namespaces = SETTINGS.namespaces, onUnknown } = settings
  const literals = onUnknown === 'literals' ? 'all' : 'namespaced'
  const readImport: AnalyzerOptions['readImport'] = (source, file) => {
    const path = posix.join(posix.dirname(file), source)
    const name = [path, `${path}.js`, `${path}.ts`, `${path}/index.js`].find((each) => files[each] !== undefined)
    return name === undefined ? undefined : { code: files[name] ?? '', file: name }
  }
  const analyzer = createAnalyzer({ literals, namespaces, readImport, ...options })
  const modules = Object.entries(files).map(([file, code]) => [file, analyzer.analyze(code, file)] as const)
  return createUsedKeys(modules, { ...SETTINGS, ...settings })
}

/** The keys that the code asks for and these texts do not have, as `check --missing-in-code` reports them. */
export function missingIn(
  files: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, readonly string[]>>,
  settings: Partial<UsedKeysSettings> = {},
): (string | undefined)[] {
  const parts = Object.entries(texts).map(([namespace, keys]) => {
    return { language: 'en', namespace, messages: new Map(keys.map((key) => [key, 'text'])) }
  })
  const used = usedIn(files, { namespaces: Object.keys(texts), ...settings })
  const findings = missingFindings(createCatalog({ parts }), used, { keySeparator: '.', namespacePrefix: true })
  return findings.map(({ place }) => place.key)
}
