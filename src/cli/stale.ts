/** Stale translations, for the commands `status`, `check` and `resolve --stale`. */
import * as z from 'zod'
import type { Finding } from '../catalog/finding.ts'
import type { Catalog } from '../catalog/model.ts'
import { createTranslations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { count } from '../shared/figures.ts'
import { split } from '../shared/split.ts'
import { loadFromFiles } from '../sources/files.ts'
import type { JournalAccess } from '../sync/journal.ts'
import { createSyncLock } from '../sync/lock.ts'
import { confirmStale, type StaleText, staleTextsOf } from '../sync/stale.ts'
import { SyncStore } from '../sync/store.ts'
import { type CommandContext, confirm } from './command.ts'
import { checkFilters, type FilterOptions, scopeOf, withCustomers } from './filters.ts'
import type { Output } from './output.ts'
import { reportFindings, takeFolder } from './project.ts'
import { nameOf, refResult, textRefResult } from './summary.ts'
import { MAX_CHARACTERS, type Paint, quoted, quotedChange } from './text.ts'

export const staleResult = textRefResult.extend({
  text: z.string(),
  /** The default language's text when the translation was made. `source` is that text now. */
  madeFrom: z.string(),
  source: z.string(),
})

export function staleOf({ ref, text, madeFrom, source }: StaleText): z.infer<typeof staleResult> {
  return { ...refResult(ref), text, madeFrom, source }
}

/** Finds a catalog's stale translations, using the folder's sync records. */
export async function readStale(config: ResolvedConfig, catalog: Catalog, { out }: CommandContext) {
  if (catalog.languages.length === 0) return []
  return staleTextsOf(
    await openStore(config, out, 'read'),
    catalog,
    createTranslations(catalog, config).defaultLanguage,
  )
}

async function openStore(config: ResolvedConfig, out: Output, access: JournalAccess) {
  const store = new SyncStore(config, access, (message) => out.warn(message))
  await store.load()
  return store
}

/** Shows the source changes, asks the user, and marks the translations as correct. Needs no service. */
export async function confirmTranslations(
  context: CommandContext,
  options: FilterOptions & { readonly dryRun: boolean; readonly yes: boolean },
  isWanted: (key: string) => boolean,
) {
  const { out } = context
  const { dryRun, yes } = options
  const config = withCustomers(await context.config(), options)
  const { catalog, diagnostics } = await loadFromFiles(config)
  reportFindings(diagnostics, context)
  const languages = catalog.languages.map(({ key }) => key)
  await checkFilters(options, languages, catalog.namespaces)
  const { defaultLanguage } = createTranslations(catalog, config)
  const texts = staleTextsOf(await openStore(config, out, 'read'), catalog, defaultLanguage)
  const scope = scopeOf(options)
  const [wanted, others] = split(texts, ({ ref }) => scope.has(ref) && isWanted(ref.key))
  for (const text of wanted) out.say(staleLines(text, defaultLanguage, out.talk).join('\n'))
  const question = `${count(wanted.length, 'translation')}: mark as still correct?`
  const isDone = wanted.length > 0 && (dryRun || (await confirm(context, question, yes)))
  if (!isDone || dryRun) return { confirmed: isDone ? wanted : [], changed: [], left: isDone ? others : texts }
  const lock = createSyncLock(config.root)
  try {
    await takeFolder(lock, context)
    const store = await openStore(config, out, 'own')
    const { catalog: now } = await loadFromFiles(config)
    const changed = confirmStale(store.sources, wanted, staleTextsOf(store, now, defaultLanguage))
    await store.sources.save()
    const left = staleTextsOf(store, now, defaultLanguage)
    await store.close()
    return { confirmed: wanted.filter((text) => !changed.includes(text)), changed, left }
  } finally {
    await lock.release()
  }
}

export function staleFinding({ ref: { language, namespace, key, customer }, madeFrom, source }: StaleText): Finding {
  const [before, now] = excerpts(madeFrom, source)
  return {
    rule: 'stale',
    severity: 'warning',
    message: `${JSON.stringify(key)} is stale: it translates ${before}, which is now ${now}`,
    place: { language, namespace, key, ...(customer !== undefined && { customer }) },
  }
}

/** Formats the default language's old and new text, and the translation. */
export function staleLines({ ref, text, madeFrom, source }: StaleText, language: string, paint: Paint): string[] {
  const width = Math.max(language.length, ref.language.length) + 1
  const [removed, added] = quotedChange(madeFrom, source, language, paint)
  return [
    nameOf(ref),
    paint('red', `  - ${language.padEnd(width)}${removed}`),
    paint('green', `  + ${language.padEnd(width)}${added}`),
    paint('dim', `    ${ref.language.padEnd(width)}${quoted(text, MAX_CHARACTERS)}`),
  ]
}

/** The number of characters shown before the first difference. */
const CONTEXT = 20

/** Shortens both texts so that they start shortly before their first difference. */
function excerpts(a: string, b: string): readonly [string, string] {
  const [before, now] = [[...a], [...b]]
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  const start = same > CONTEXT * 2 ? same - CONTEXT : 0
  const show = (characters: readonly string[]) =>
    quoted(`${start > 0 ? '…' : ''}${characters.slice(start).join('')}`, 80)
  return [show(before), show(now)]
}
