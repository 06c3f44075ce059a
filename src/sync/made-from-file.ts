/** The file that records the source of each translation: one line for each key and text, so that Git merges it well. */
import * as z from 'zod'
import { parseTextId, textId, textRef } from '../catalog/text-id.ts'
import { hashOf } from '../shared/hash.ts'

/** What one text of a translation was made from. */
export interface Made {
  /** The default language's text. */
  readonly source: string
  /** Of the translation's text. */
  readonly digest: string
}

export function digestOf(text: string): string {
  return hashOf(text, 16)
}

const lineSchema = z.object({
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
  madeFrom: z.string(),
  /** Digests by language. */
  translations: z.record(z.string(), z.string()),
})
const fileSchema = z.object({ version: z.literal(1), language: z.string(), texts: z.array(lineSchema) })
type Line = z.infer<typeof lineSchema>

/** By id. Records of another default language are ignored. Throws if this is no such file. */
export function parseMadeFrom(content: string, language: string): Map<string, Made> {
  const file = fileSchema.parse(JSON.parse(content))
  const made = new Map<string, Made>()
  if (file.language !== language) return made
  for (const { namespace, key, customer, madeFrom: source, translations } of file.texts)
    for (const [translation, digest] of Object.entries(translations))
      made.set(textId(textRef({ language: translation, namespace, customer }, key)), { source, digest })
  return made
}

export function printMadeFrom(made: ReadonlyMap<string, Made>, language: string): string {
  const lines = new Map<string, Line>()
  for (const [id, { source, digest }] of made) {
    const { language: translation, ...ref } = parseTextId(id)
    const name = JSON.stringify([ref.namespace, ref.key, ref.customer ?? '', source])
    const line = lines.get(name) ?? { ...ref, madeFrom: source, translations: {} }
    line.translations[translation] = digest
    lines.set(name, line)
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = sorted.map(([, { translations, ...line }]) => {
    const byLanguage = Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))
    return `\n    ${JSON.stringify({ ...line, translations: Object.fromEntries(byLanguage) })}`
  })
  const end = texts.length > 0 ? '\n  ' : ''
  return `{\n  "version": 1,\n  "language": ${JSON.stringify(language)},\n  "texts": [${texts.join(',')}${end}]\n}\n`
}
