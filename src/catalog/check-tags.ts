/**
 * Checks tags such as `<0>`, `<strong>` and `<br/>`: every language must have the tags of the default language. Pure.
 */
import { error, type Problem, warning } from './finding.ts'

interface Tag {
  readonly name: string
  readonly kind: 'start' | 'end' | 'empty'
}

const TAG = /<(\/?)(\p{L}[\p{L}\p{N}._-]*|\d+)(\s[^<>]*|\/)?>/gu
/** HTML elements without an end tag. */
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'wbr'])

/** Tags for emphasis and line breaks. They may differ between languages: Chinese has no italics. */
const TYPOGRAPHY: ReadonlySet<string> = new Set([
  'b',
  'br',
  'em',
  'hr',
  'i',
  'mark',
  'small',
  'strong',
  'sub',
  'sup',
  'u',
  'wbr',
])

/**
 * Compares the tags in two texts. A tag must have an end tag, end with `/>`, or be a void element such as `<br>`. So `a
 * < b`, `<email@example.com>` and `<unknown>` are not tags.
 */
export function checkTags(text: string, reference: string): Problem[] {
  if (!text.includes('<') && !reference.includes('<')) return []
  // In ICU messages, a quoted tag is plain text.
  if (text.includes("'<") || reference.includes("'<")) return []
  const own = readTags(text)
  const others = readTags(reference)
  const expected = tagNames(others)
  const [ownNames, otherNames] = [namesOf(own), namesOf(others)]
  const missing = [...expected].filter((name) => !ownNames.has(name))
  const unknown = [...tagNames(own)].filter((name) => !otherNames.has(name))
  const open = firstUnclosed(others, expected) === undefined ? firstUnclosed(own, expected) : undefined
  const parts = [
    ...(missing.length > 0 ? [`lacks ${missing.map(show).join(', ')}`] : []),
    ...(unknown.length > 0 ? [`has ${unknown.map(show).join(', ')}, which the default language does not`] : []),
    ...(open === undefined ? [] : [`has unbalanced ${show(open)} tags`]),
  ]
  if (parts.length === 0) return []
  const isTypography = [...missing, ...unknown].every((name) => TYPOGRAPHY.has(name))
  const isWarning = isTypography && open === undefined && expected.size > 0 && tagNames(own).size > 0
  return [(isWarning ? warning : error)('tags', parts.join(' and '))]
}

function readTags(text: string): readonly Tag[] {
  return [...text.matchAll(TAG)].map(([, slash, name = '', attributes = '']) => {
    if (slash) return { name, kind: 'end' }
    return { name, kind: attributes.endsWith('/') ? 'empty' : 'start' }
  })
}

function tagNames(tags: readonly Tag[]): ReadonlySet<string> {
  const ended = namesOf(tags, 'end')
  const isTag = ({ name, kind }: Tag) => kind === 'empty' || VOID.has(name) || (kind === 'start' && ended.has(name))
  return new Set(tags.filter(isTag).map(({ name }) => name))
}

function namesOf(tags: readonly Tag[], kind?: Tag['kind']): ReadonlySet<string> {
  return new Set(tags.filter((tag) => kind === undefined || tag.kind === kind).map(({ name }) => name))
}

function firstUnclosed(tags: readonly Tag[], names: ReadonlySet<string>): string | undefined {
  const open: string[] = []
  const ended = namesOf(tags, 'end')
  for (const { name, kind } of tags) {
    if (!names.has(name) || kind === 'empty' || (VOID.has(name) && !ended.has(name))) continue
    if (kind === 'start') open.push(name)
    else if (open.pop() !== name) return name
  }
  return open.pop()
}

function show(name: string): string {
  return `<${name}>`
}
