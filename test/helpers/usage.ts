/** What sources use, in short: for tests that look at one construct each. */
import { type AnalyzerOptions, createAnalyzer } from '../../src/usage/analyze.ts'
import type { ModuleUsage } from '../../src/usage/model.ts'
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

/** The used keys of an app of these files. */
export function usedIn(
  files: Readonly<Record<string, string>>,
  settings: Partial<UsedKeysSettings> = {},
  options: AnalyzerOptions = {},
): UsedKeys {
  const analyzer = createAnalyzer(options)
  const modules = Object.entries(files).map(([file, code]) => [file, analyzer.analyze(code, file)] as const)
  return createUsedKeys(modules, { ...SETTINGS, ...settings })
}
