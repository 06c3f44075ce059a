/** Tools that check proposed texts and write them to the files. */
import * as z from 'zod'
import { LIMITS } from '../../api/schemas.ts'
import type { Catalog } from '../../catalog/model.ts'
import { parsePluralKey } from '../../catalog/plurals.ts'
import { showText } from '../../catalog/text-id.ts'
import { assertKnown, assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { LocalizationError } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import { createFileIndex } from '../../files/file-index.ts'
import { displayPath } from '../../shared/paths.ts'
import { checkEdits } from '../check/edits.ts'
import { type CommandContext, type CommandResult, UsageError } from '../command.ts'
import { OUTCOMES } from '../extract/run.ts'
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
  const { findings: found, after } = await checkEdits({ catalog, config }, edits)
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
    /** For each key, the languages that would still have no text. */
    without: withoutText(after, keysOf(translations.languages), edits, config.pluralSeparator),
  }
  const isWritable = found.every(({ severity }) => severity !== 'error') && report.texts.every(({ file }) => file)
  return { files: { index, seen }, edits, report, isWritable }
}

/** Ignores plural forms, because they differ by language. The checks cover them. */
function withoutText(catalog: Catalog, languages: readonly string[], edits: readonly TextEdit[], separator: string) {
  const names = edits.map(({ ref: { namespace, key } }) => ({ namespace, key }))
  const others = names.filter(({ key }) => parsePluralKey(key, separator) === undefined)
  const keys = new Map(others.map((name) => [JSON.stringify(name), name]))
  return [...keys.values()].flatMap(({ namespace, key }) => {
    const open = languages.filter((language) => !catalog.messages(language, namespace)?.get(key))
    return open.length === 0 ? [] : [{ namespace, key, languages: open }]
  })
}
