/** The types of the values that a text's placeholders take. */
import { compareCodeUnits, type Messages } from '../catalog/model.ts'
import { guessSyntax, listPlaceholders, type Placeholder } from '../catalog/placeholders.ts'
import { stringLiteral } from './literal.ts'

/** The placeholders of one text, as an object type; no line where it has none. */
export function valueLine(key: string, texts: Messages): string[] {
  const kinds = new Map<string, Set<string>>()
  for (const { name, kind } of placeholdersIn(texts.get(key) as string)) {
    const known = kinds.get(name) ?? new Set()
    kinds.set(name, known.add(typeOf(kind)))
  }
  if (kinds.size === 0) return []
  const properties = [...kinds]
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .map(([name, types]) => `readonly ${stringLiteral(name)}: ${narrowest(types)}`)
  return [`readonly ${stringLiteral(key)}: { ${properties.join('; ')} }`]
}

/** A message that cannot be parsed is a finding of `localization check`; it is no reason to refuse a value. */
function placeholdersIn(text: string): readonly Placeholder[] {
  try {
    return listPlaceholders(text, guessSyntax(text))
  } catch {
    return []
  }
}

const TEXT_TYPE = 'string | number'

function typeOf(kind: Placeholder['kind']): string {
  switch (kind.type) {
    case 'text':
      return TEXT_TYPE
    case 'number':
      return 'number'
    case 'date':
      return 'Date | number'
    case 'list':
      return 'readonly string[]'
    case 'select':
      return selectType(kind.options)
    case 'any':
      return 'unknown'
  }
}

/**
 * `other` stands for every value that is not named, editors still offer the named ones; beside booleans it is never
 * chosen.
 */
function selectType(options: readonly string[]): string {
  const named = options.filter((option) => option !== 'other')
  if (named.length === 0) return 'string'
  if (named.every((option) => option === 'true' || option === 'false')) return `${union(named)} | boolean`
  return options.includes('other') ? `${union(named)} | (string & {})` : union(named)
}

/** A plain occurrence takes whatever the formatted ones take; two formats must both be pleased. */
function narrowest(types: ReadonlySet<string>): string {
  const formats = [...types].filter((type) => type !== TEXT_TYPE && type !== 'unknown').sort(compareCodeUnits)
  if (formats.length > 0)
    return formats.length === 1 ? (formats[0] as string) : formats.map((type) => `(${type})`).join(' & ')
  return types.has(TEXT_TYPE) ? TEXT_TYPE : 'unknown'
}

/** The names as string literals, one or the other. */
export function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : [...names].sort(compareCodeUnits).map(stringLiteral).join(' | ')
}
