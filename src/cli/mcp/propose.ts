/** The tools that check proposed texts and write them into the files. */
import * as z from 'zod'
import { LIMITS } from '../../api/schemas.ts'
import { createReferenceCheck } from '../../catalog/check-references.ts'
import type { Finding } from '../../catalog/finding.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import { parsePluralKey } from '../../catalog/plural-keys.ts'
import { partId, showText, type TextRef } from '../../catalog/text-id.ts'
import { assertKnown, assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { LocalizationError } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import { createFileIndex } from '../../files/file-index.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { displayPath } from '../../shared/paths.ts'
import { findInTexts } from '../check/texts.ts'
import { type CommandContext, type CommandResult, UsageError } from '../command.ts'
import { OUTCOMES } from '../extract/run.ts'
import { scopeOf } from '../filters.ts'
import { keysOf } from './texts.ts'

export const proposedTexts = z.object({
  texts: z
    .array(
      z.object({
        language: z.string(),
        namespace: z.string().optional().describe('Default: the default namespace.'),
        key: z.string().min(1).max(500),
        text: z.string().min(1).max(LIMITS.textLength),
        expected: z
          .string()
          .optional()
          .describe('The text that you saw in the file. If the file has a different text now, it is not replaced.'),
      }),
    )
    .min(1)
    .max(1000),
})
type Input = z.output<typeof proposedTexts>

export async function proposeTexts(context: CommandContext, input: Input): Promise<CommandResult> {
  const { report, isWritable } = await prepare(context, input)
  return { data: { ok: isWritable, ...report }, failed: !isWritable }
}

export async function writeTexts(context: CommandContext, input: Input): Promise<CommandResult> {
  const { files, edits, report, isWritable } = await prepare(context, input)
  if (!isWritable) return { data: { ok: false, written: 0, ...report }, failed: true }
  const { outcomes } = await applyEdits(files, edits, { isUntrusted: true, signal: context.signal })
  const problems = edits.flatMap(({ ref }, at) => {
    const outcome = outcomes[at]
    if (outcome === 'written') return []
    return [`${showText(ref)}: ${outcome ? OUTCOMES[outcome] : 'not written, because the server was stopped'}`]
  })
  const ok = problems.length === 0
  return { data: { ok, written: edits.length - problems.length, problems, ...report }, failed: !ok }
}

async function prepare(context: CommandContext, { texts }: Input) {
  const config = await context.config()
  const index = createFileIndex(config)
  const seen = await index.scan({ everything: true })
  const { catalog } = seen
  const translations = assertPrefix(createTranslations(catalog, config))
  const edits = texts.map(({ language, namespace = translations.defaultNamespace, key, text, expected }): TextEdit => {
    assertKnown('language', language, keysOf(translations.languages))
    assertKnown('namespace', namespace, translations.namespaces)
    const ref = { language, namespace, key }
    if (seen.isUnknown(ref))
      throw new LocalizationError(`the file of ${language}/${namespace} has an error: ${index.pathOf(ref)}`, {
        code: 'FILE_SYNTAX',
        hint: 'Fix the file first: `localization check` shows the place.',
      })
    const current = seen.text(ref)
    if (expected !== undefined && expected !== (current ?? ''))
      throw new UsageError(`${showText(ref)} has a different text than expected: ${JSON.stringify(current ?? '')}`)
    return { ref, text, expected: current }
  })
  if (new Set(edits.map(({ ref }) => showText(ref))).size < edits.length)
    throw new UsageError('a text is proposed twice')
  const namespaces = new Set(edits.map(({ ref }) => ref.namespace))
  const [before, after] = [[], edits].map((some) => withTexts(catalog, namespaces, some)) as [Catalog, Catalog]
  const settings = await textCheckSettings(config)
  const findings = (checked: Catalog) =>
    findInTexts({ catalog: checked, config, scope: scopeOf({}) }, {}, settings).filter(
      // These rules need all texts of a language, but these catalogs contain only some.
      ({ rule }) => rule !== 'coverage' && rule !== 'language',
    )
  const isTouched = touches(edits, config.pluralSeparator)
  const known = new Set(findings(before).map(idOf))
  const others = catalog.parts.filter(({ namespace }) => !namespaces.has(namespace))
  const checkReference = createReferenceCheck(createCatalog({ parts: [...others, ...after.parts] }), {
    ...settings,
    keySeparator: config.keySeparator,
  })
  const found = [
    ...findings(after).filter((finding) => isTouched(finding) || !known.has(idOf(finding))),
    ...edits.flatMap(({ ref, text = '' }) => checkReference(ref, text)),
  ]
  const report = {
    texts: edits.map(({ ref, text, expected = null }) => {
      const path = index.pathOf(ref)
      return { ...ref, before: expected, after: text, file: path ? displayPath(config.root, path) : null }
    }),
    findings: found.map(({ severity, message, rule, place }) => ({
      severity,
      rule,
      language: place.language,
      namespace: place.namespace,
      key: place.key,
      message,
    })),
    /** The languages that would have no text for a key. */
    without: withoutText(after, keysOf(translations.languages), edits, config.pluralSeparator),
  }
  const isWritable = found.every(({ severity }) => severity !== 'error') && report.texts.every(({ file }) => file)
  return { files: { index, seen }, edits, report, isWritable }
}

/** The texts of these namespaces, with the edits. */
function withTexts(catalog: Catalog, namespaces: ReadonlySet<string>, edits: readonly TextEdit[]): Catalog {
  const parts = new Map(
    catalog.parts
      .filter(({ namespace }) => namespaces.has(namespace))
      .map(({ lazy: _, ...part }) => [partId(part), { ...part, messages: new Map(part.messages) }]),
  )
  for (const { ref, text } of edits) {
    const { key, ...part } = ref
    const own = parts.get(partId(part)) ?? { ...part, messages: new Map<string, string>() }
    if (text !== undefined) own.messages.set(key, text)
    parts.set(partId(part), own as never)
  }
  return createCatalog({ languages: catalog.languages, parts: [...parts.values()] })
}

/** True if a finding is about one of the texts, or about a plural with such a form. */
function touches(edits: readonly TextEdit[], separator: string): (finding: Finding) => boolean {
  const stem = (key: string) => parsePluralKey(key, separator)?.prefix ?? key
  const id = ({ language, namespace, key }: Partial<TextRef>) => JSON.stringify([language, namespace, stem(key ?? '')])
  const ids = new Set(edits.map(({ ref }) => id(ref)))
  return ({ place }) => ids.has(id(place))
}

function idOf({ rule, message, place }: Finding): string {
  return JSON.stringify([rule, message, place.language, place.namespace, place.key, place.customer])
}

/** Ignores plural forms: each language has different ones, which the checks know. */
function withoutText(catalog: Catalog, languages: readonly string[], edits: readonly TextEdit[], separator: string) {
  const names = edits.map(({ ref: { namespace, key } }) => ({ namespace, key }))
  const others = names.filter(({ key }) => parsePluralKey(key, separator) === undefined)
  const keys = new Map(others.map((name) => [JSON.stringify(name), name]))
  return [...keys.values()].flatMap(({ namespace, key }) => {
    const open = languages.filter((language) => !catalog.messages(language, namespace)?.get(key))
    return open.length === 0 ? [] : [{ namespace, key, languages: open }]
  })
}
