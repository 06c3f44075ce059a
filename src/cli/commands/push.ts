/** `localization push`: the files' changes to the service, text by text. */
import { Option } from 'commander'
import * as z from 'zod'
import { serviceNamespace } from '../../catalog/names.ts'
import { keyId, textId } from '../../catalog/text-id.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { count, grouped } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { groupBy, split } from '../../shared/split.ts'
import { findPrunable, PRUNE_LIMIT, type PrunableKey, unchangedKeys } from '../../sync/prune.ts'
import type { TextRecord } from '../../sync/records.ts'
import type { Via } from '../../sync/send-round.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { addSyncCommand, type FilterOptions, type Switches } from '../filters.ts'
import { type OpenProject, openProject, sortDifferences } from '../project.ts'
import { projectLanguages } from '../project-languages.ts'
import { NOTHING, planSending, sendTexts } from '../send.ts'
import {
  conflictLines,
  conflictOf,
  conflictResult,
  partResult,
  reasonLines,
  reasonResult,
  skippedLines,
  summarize,
  summaryTable,
  withReasons,
} from '../summary.ts'
import { type Paint, quoted } from '../text.ts'

export const pushResult = z.object({
  dryRun: z.boolean(),
  /** How texts were sent, or would be; `null`: there were none. */
  via: z.enum(['patch', 'import']).nullable(),
  parts: z.array(partResult),
  texts: z.number().int(),
  conflicts: z.array(conflictResult),
  refused: z.array(reasonResult),
  /** Keys deleted on the service, with `--dry-run` those that would be. Empty without `--prune`. */
  pruned: z.array(z.object({ namespace: z.string(), key: z.string(), texts: z.number().int() })),
  deletedHere: z.number().int(),
  /** Texts deleted on the service, unchanged here: not sent again. */
  deletedThere: z.number().int(),
  skippedFiles: z.array(z.string()),
  /** How many texts were not sent, because the command was stopped or the service failed. */
  left: z.number().int(),
  leftTexts: z.array(reasonResult),
  failure: z.string().nullable(),
})
type Result = z.infer<typeof pushResult>

const WAYS = 'patch: one v2 PATCH for each text; import: one import for each file; auto: fewer requests'
const SWITCHES = {
  createLanguages: 'create languages that the project on the service lacks',
  prune: 'delete keys on the service that were deleted from the files; shows the keys and asks',
  unseen: 'with --prune: also delete keys that these files never had',
  yes: 'do not ask',
  dryRun: 'only show what would be sent and deleted',
}
type PushOptions = FilterOptions & Switches<typeof SWITCHES> & { readonly via: Via | 'auto' }

export const addPush: AddCommand = (program, act) => {
  addSyncCommand(program, 'push', SWITCHES)
    .summary("send the files' changes to the service")
    .description(
      'Send changes of the files to the service. Conflicts are reported and overwrite nothing; exits with 1 then.',
    )
    .addOption(new Option('--via <way>', WAYS).choices(['auto', 'patch', 'import']).default('auto'))
    .addHelpText('after', examples('push --dry-run', 'push --namespace "views/*"', 'push --prune --namespace common'))
    .action(act(push))
}

async function push(context: CommandContext, options: PushOptions) {
  checkOptions(context, options)
  const { dryRun = false, prune: prunes = false } = options
  const open = await openProject(context, { filters: options, change: !dryRun, keepTexts: prunes })
  try {
    const { outgoing, conflicts, deletedHere, deletedThere } = sortDifferences(open.differences())
    const [added, changed] = split(outgoing, ({ theirs }) => theirs === undefined)
    const unknown = await refuseUnknownLanguages(context, open, outgoing, options)
    await warnOfSyntax(context, open, outgoing)
    const plan = planSending(outgoing, unknown ? 'import' : options.via, open)
    const prunable = prunes ? await previewPrune(context, open, options) : []
    const outcome = dryRun ? NOTHING : await sendTexts(context, open, outgoing, plan)
    conflicts.push(...outcome.conflicts)
    const unsent = new Set([...outcome.refused, ...outcome.conflicts, ...outcome.left].map(({ ref }) => textId(ref)))
    const wasSent = ({ id }: TextRecord) => !unsent.has(id)
    const pruned = outcome.left.length === 0 ? await prune(context, open, prunable, options) : []
    const gone = new Set(pruned.map(keyId))
    const data: Result = {
      dryRun,
      via: outgoing.length === 0 ? null : plan.via,
      parts: summarize({ added: added.filter(wasSent), changed: changed.filter(wasSent), conflicts }),
      texts: outgoing.length - unsent.size,
      conflicts: conflicts.map(conflictOf),
      refused: withReasons(outcome.refused),
      pruned: pruned.map(({ namespace, key, texts }) => ({ namespace, key, texts: texts.length })),
      deletedHere: deletedHere.filter(({ ref }) => !gone.has(keyId(ref))).length,
      deletedThere: deletedThere.length,
      skippedFiles: [...open.brokenFiles],
      left: outcome.left.length,
      leftTexts: withReasons(outcome.left),
      failure: outcome.failure === undefined ? null : messageOf(outcome.failure),
    }
    const { refused, skippedFiles, left, failure } = data
    return {
      data,
      failed: conflicts.length > 0 || refused.length > 0 || left > 0 || skippedFiles.length > 0 || failure !== null,
      text: (paint: Paint) => show(data, { requests: plan.requests, prunes }, paint),
    }
  } finally {
    await open.close()
  }
}

/** Throws before anything is sent: half a command would have been carried out. */
function checkOptions({ io }: CommandContext, { language, customer, prune, unseen, yes, dryRun }: PushOptions): void {
  if (prune && (language || customer))
    throw new UsageError('--prune deletes keys in every language: of the filters, it works with --namespace only')
  if (unseen && !prune) throw new UsageError('--unseen works only with --prune')
  if (prune && !dryRun && !yes && !io.canAsk)
    throw new UsageError(
      '--prune asks for confirmation, which needs a terminal: give --yes, or --dry-run for a preview',
    )
}

/** The service takes these texts, and the page throws on them. */
async function warnOfSyntax({ out }: CommandContext, { config }: OpenProject, outgoing: readonly TextRecord[]) {
  const { library } = await textCheckSettings(config)
  for (const { ref, ours = '' } of outgoing) {
    const problem = library?.check(ours).find(({ severity }) => severity === 'error')
    const name = `${ref.language}/${printable(ref.namespace)} ${quoted(ref.key, 100)}`
    if (problem) out.warn(`${name} ${printable(problem.message)}`)
  }
}

/** True: a language has to be made, which only an import does. */
async function refuseUnknownLanguages(
  context: CommandContext,
  { config, service }: OpenProject,
  outgoing: readonly TextRecord[],
  { createLanguages, via }: PushOptions,
): Promise<boolean> {
  const wanted = new Set(outgoing.map(({ ref }) => ref.language))
  if (wanted.size === 0) return false
  const known = await projectLanguages(await context.client(), config)
  const present = new Set(known?.languages ?? service.languages)
  const unknown = [...wanted].filter((language) => !present.has(language))
  if (unknown.length === 0 || (!known && via === 'patch')) return false
  if (!createLanguages) {
    throw new LocalizationError(
      `the project has no language ${unknown.map((name) => JSON.stringify(name)).join(', ')}`,
      {
        code: 'UNKNOWN_LANGUAGE',
        hint: 'Add it in the service, map it (languageMap), leave it out (--language), or give --create-languages.',
      },
    )
  }
  if (via === 'patch') throw new UsageError('--create-languages needs an import: leave out --via patch')
  return true
}

/** Shows the keys that would be deleted. Throws where these are more than half of the keys. */
async function previewPrune(
  { out, globals }: CommandContext,
  { config, project, service, scope }: OpenProject,
  { dryRun, unseen: withUnseen = false }: PushOptions,
): Promise<readonly PrunableKey[]> {
  const { keys, total, unseen } = await findPrunable({
    config,
    base: project.store.base,
    texts: service.texts,
    isInScope: scope.namespace,
    withUnseen,
  })
  if (unseen > 0)
    out.say(`${count(unseen, 'key')} on the service that these files never had: left alone (--unseen deletes them too)`)
  if (keys.length === 0) return keys
  out.say(`${dryRun ? 'would delete' : 'to delete'} on the service, with their texts in every language:`)
  const shown = globals.verbose ? keys : keys.slice(0, 30)
  for (const { namespace, key, texts } of shown)
    out.say(`  ${printable(namespace)} ${quoted(key, 100)} (${count(texts.length, 'text')})`)
  if (shown.length < keys.length)
    out.say(`  and ${count(keys.length - shown.length, 'more key', 'more keys')} (--verbose shows all)`)
  if (keys.length <= total * PRUNE_LIMIT) return keys
  throw new LocalizationError(
    `stopped, nothing done: ${count(keys.length, 'key')} of ${grouped(total)} would be deleted, more than half`,
    {
      code: 'DELETION_LIMIT',
      hint: 'Check the option files and whether the files are all there; keys remove deletes keys by name.',
    },
  )
}

const BULK_KEYS = 100

/** Deletes the keys whose texts are still what was shown, each reading right before its deletion. */
async function prune(
  context: CommandContext,
  { config, project }: OpenProject,
  keys: readonly PrunableKey[],
  { dryRun = false, yes = false }: PushOptions,
): Promise<readonly PrunableKey[]> {
  const { out, signal } = context
  if (dryRun || keys.length === 0) return keys
  if (!(await confirm(context, `Delete ${count(keys.length, 'key')} on the service?`, { yes }))) return []
  const client = await context.client()
  const deleted: PrunableKey[] = []
  for (const chunk of chunksByNamespace(keys)) {
    if (signal.aborted) break
    const unchanged = await unchangedKeys(chunk, { remote: project.remote, customers: config.customers, signal })
    for (const { namespace, key } of chunk.filter((one) => !unchanged.includes(one)))
      out.warn(`not deleted: ${printable(namespace)} ${quoted(key, 100)} was changed on the service meanwhile`)
    if (unchanged.length === 0) continue
    const references = unchanged.map(({ namespace, key }) => ({ key, namespace: serviceNamespace(namespace, config) }))
    const { failures } = await client.keys.deleteMany(references, { retries: 0 })
    for (const { message } of failures) out.warn(`not deleted: ${printable(message)}`)
    if (failures.length > 0) continue
    for (const { texts } of unchanged) for (const { ref } of texts) project.records.setEqual(ref, undefined)
    deleted.push(...unchanged)
  }
  return deleted
}

function chunksByNamespace(keys: readonly PrunableKey[]): PrunableKey[][] {
  const chunks: PrunableKey[][] = []
  for (const group of groupBy(keys, ({ namespace }) => namespace))
    for (let at = 0; at < group.length; at += BULK_KEYS) chunks.push(group.slice(at, at + BULK_KEYS))
  return chunks
}

function show(data: Result, { requests, prunes }: { requests: number; prunes: boolean }, paint: Paint): string {
  const { dryRun, via, parts, texts, conflicts, refused, pruned, deletedHere, deletedThere, left, failure } = data
  const lines = summaryTable(parts, paint)
  const way = via === 'patch' ? 'v2 PATCH' : 'import'
  const isEqual = conflicts.length + data.skippedFiles.length + deletedHere + deletedThere === 0
  if (via === null) lines.push(isEqual ? 'nothing to push: the service has what the files have' : 'nothing to push')
  else if (dryRun) lines.push(`would push ${count(texts, 'text')} by ${way} (${count(requests, 'request')})`)
  else lines.push(`pushed ${count(texts, 'text')} by ${way}`)
  lines.push(...skippedLines(data.skippedFiles))
  lines.push(...reasonLines('refused', refused, paint))
  if (pruned.length > 0)
    lines.push(`${dryRun ? 'would delete' : 'deleted'} ${count(pruned.length, 'key')} on the service`)
  const howToDelete = prunes ? 'a key is deleted when no language has it' : 'push --prune, or pull --restore'
  if (deletedHere > 0) lines.push(`${count(deletedHere, 'text')} deleted here, still on the service (${howToDelete})`)
  if (deletedThere > 0)
    lines.push(`${count(deletedThere, 'text')} deleted on the service, still here: not sent again (pull --prune)`)
  if (left > 0)
    lines.push(
      `${failure === null ? 'stopped' : 'failed'}: ${count(left, 'text')} not sent; repeat the command to continue`,
    )
  if (failure !== null) lines.push(`${paint('red', 'error:')} ${printable(failure)}`)
  return [...lines, ...conflictLines(conflicts, paint)].join('\n')
}
