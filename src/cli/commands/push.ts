/** `localization push` sends changes in the files to the service, text by text. */
import * as z from 'zod'
import { serviceNamespace } from '../../catalog/names.ts'
import { keyId, partId, textId } from '../../catalog/text-id.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { printable } from '../../shared/escape.ts'
import { count, grouped } from '../../shared/figures.ts'
import { groupBy, split } from '../../shared/split.ts'
import { findPrunable, indexAll, PRUNE_LIMIT, type PrunableKey, type Pruning, unchangedKeys } from '../../sync/prune.ts'
import { knowsKey } from '../../sync/reader.ts'
import type { TextRecord } from '../../sync/records.ts'
import { sendOutbox } from '../../sync/send.ts'
import type { SendResult, Via } from '../../sync/send-round.ts'
import { type CommandContext, choice, confirm, defineCommand, flag, type Given, UsageError } from '../command.ts'
import { FILTERS, projectLanguages } from '../filters.ts'
import { type OpenProject, openProject, sortDifferences } from '../project.ts'
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
import { duration, listOf, quoted } from '../text.ts'

export const pushResult = z.object({
  dryRun: z.boolean(),
  /** The way the texts were sent, or would be with `--dry-run`; `null` if there were none. */
  via: z.enum(['patch', 'import']).nullable(),
  parts: z.array(partResult),
  texts: z.number().int(),
  conflicts: z.array(conflictResult),
  refused: z.array(reasonResult),
  /** The keys that `--prune` deleted on the service, or would delete with `--dry-run`. */
  pruned: z.array(z.object({ namespace: z.string(), key: z.string(), texts: z.number().int() })),
  deletedHere: z.number().int(),
  /** The number of texts deleted on the service and unchanged in the files. They are not sent again. */
  deletedThere: z.number().int(),
  skippedFiles: z.array(z.string()),
  /** The number of texts that were not sent, because the command was stopped or the service failed. */
  left: z.number().int(),
  leftTexts: z.array(reasonResult),
  failure: z.string().nullable(),
})

const options = {
  createLanguages: flag('create languages that the project on the service lacks'),
  prune: flag('delete keys on the service that were deleted from the files; shows the keys and asks'),
  unseen: flag('with --prune: also delete keys that these files never had'),
  yes: flag('do not ask'),
  dryRun: flag('only show what would be sent and deleted'),
  ...FILTERS,
  via: choice(
    '<way>',
    'patch: one v2 PATCH for each text; import: one import for each file; auto: whichever needs fewer requests',
    ['auto', 'patch', 'import'],
    'auto',
  ),
}
type PushOptions = Given<typeof options>

export const command = defineCommand({
  description: 'Send changes in the files to the service. Conflicts overwrite nothing, and the command exits with 1.',
  examples: ['push --dry-run', 'push --namespace "views/*"', 'push --prune --namespace common'],
  options,
  result: pushResult,
  async work(context, given) {
    checkOptions(context, given)
    const { dryRun, prune: prunes } = given
    const open = await openProject(context, given, !dryRun, prunes)
    try {
      const { outgoing, conflicts, deletedHere, deletedThere } = sortDifferences(open.differences())
      const [added, changed] = split(outgoing, ({ theirs }) => theirs === undefined)
      const needsImport = await refuseUnknownLanguages(context, open, outgoing, given)
      await warnOfSyntax(context, open, outgoing)
      const plan = planSending(outgoing, needsImport ? 'import' : given.via, open)
      const { config, project } = open
      const { base } = project.store
      const pruning = { config, index: indexAll(config), base, withUnseen: given.unseen, signal: context.signal }
      const prunable = prunes ? await previewPrune(context, open, given, pruning) : []
      const outcome = await sendTexts(context, open, dryRun ? [] : outgoing, plan)
      conflicts.push(...outcome.conflicts)
      const unsent = new Set([...outcome.refused, ...outcome.conflicts, ...outcome.left].map(({ ref }) => textId(ref)))
      const wasSent = ({ id }: TextRecord) => !unsent.has(id)
      const pruned = outcome.left.length === 0 ? await prune(context, open, given, pruning, prunable) : []
      const gone = new Set(pruned.map(keyId))
      const data = {
        dryRun,
        via: outgoing.length === 0 ? null : plan.via,
        parts: summarize({ added: added.filter(wasSent), changed: changed.filter(wasSent), conflicts }),
        texts: outgoing.length - unsent.size,
        conflicts: conflicts.map(conflictOf),
        refused: withReasons(outcome.refused),
        pruned: pruned.map(({ namespace, key, texts }) => ({ namespace, key, texts: texts.length })),
        deletedHere: deletedHere.filter(({ ref, state }) => state === 'deleted-here' && !gone.has(keyId(ref))).length,
        deletedThere: deletedThere.length,
        skippedFiles: open.brokenFiles,
        left: outcome.left.length,
        leftTexts: withReasons(outcome.left),
        failure: outcome.failure === undefined ? null : messageOf(outcome.failure),
      }
      const { refused, skippedFiles, left, failure } = data
      // The reasons for keys that were not deleted have been printed.
      const kept = prunable.length - pruned.length
      const isWhole = conflicts.length + refused.length + left + kept + skippedFiles.length === 0 && failure === null
      return { data, failed: !isWhole, requests: plan.requests, prunes }
    } finally {
      await open.close()
    }
  },
  text({ data, requests, prunes }, paint) {
    const { dryRun, via, parts, texts, conflicts, refused, pruned, deletedHere, deletedThere, left, failure } = data
    const lines = summaryTable(parts, paint)
    const way = via === 'patch' ? 'v2 PATCH' : 'import'
    const isEqual = conflicts.length + data.skippedFiles.length + deletedHere + deletedThere === 0
    if (via === null) lines.push(isEqual ? 'nothing to push: the service is up to date' : 'nothing to push')
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
    const end = failure === null ? 'stopped' : 'failed'
    if (left > 0) lines.push(`${end}: ${count(left, 'text')} not sent; run the command again to continue`)
    if (failure !== null) lines.push(`${paint('red', 'error:')} ${printable(failure)}`)
    return [...lines, ...conflictLines(conflicts, paint)].join('\n')
  },
})

/** Throws before anything is sent, so that the command never stops halfway. */
function checkOptions({ io }: CommandContext, { language, customer, prune, unseen, yes, dryRun }: PushOptions): void {
  if (prune && (language || customer))
    throw new UsageError('--prune deletes keys in every language, so its only filter is --namespace')
  if (unseen && !prune) throw new UsageError('--unseen works only with --prune')
  if (prune && !dryRun && !yes && !io.canAsk)
    throw new UsageError('--prune asks for confirmation, which needs a terminal: use --yes, or --dry-run for a preview')
}

/** Warns about texts that the service accepts, but that would throw an error in the app. */
async function warnOfSyntax({ out }: CommandContext, { config }: OpenProject, outgoing: readonly TextRecord[]) {
  // The settings may be in any source of the app.
  if (outgoing.length === 0) return
  const { library } = await textCheckSettings(config)
  for (const { ref, ours = '' } of outgoing) {
    const problem = library?.check(ours).find(({ severity }) => severity === 'error')
    const name = `${ref.language}/${printable(ref.namespace)} ${quoted(ref.key, 100)}`
    if (problem) out.warn(`${name} ${printable(problem.message)}`)
  }
}

/** Throws if a language is unknown and must not be created. Returns true if an import must create one. */
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
        hint: 'Add it on the service, map it (languageMap), leave it out (--language), or use --create-languages.',
      },
    )
  }
  if (via === 'patch') throw new UsageError('--create-languages needs an import: leave out --via patch')
  return true
}

/** Shows the keys that would be deleted. Throws if they are more than half of the keys. */
async function previewPrune(
  { out, globals }: CommandContext,
  { service, scope }: OpenProject,
  { dryRun }: PushOptions,
  pruning: Pruning,
): Promise<readonly PrunableKey[]> {
  const texts = service.texts.filter(({ ref }) => scope.namespace(ref.namespace))
  const { keys, total, unseen } = await findPrunable(texts, pruning)
  if (unseen > 0)
    out.say(
      `not deleted: ${count(unseen, 'key')} on the service that these files never had (--unseen also deletes them)`,
    )
  if (keys.length === 0) return keys
  out.say(`${dryRun ? 'would delete' : 'to delete'} on the service, with their texts in every language:`)
  const line = ({ namespace, key, texts }: PrunableKey) =>
    `  ${printable(namespace)} ${quoted(key, 100)} (${count(texts.length, 'text')})`
  const rest = (number: number) => `  and ${count(number, 'more key')} (--verbose shows all)`
  for (const each of listOf(keys, globals.verbose ? keys.length : 30, line, rest)) out.say(each)
  if (keys.length <= total * PRUNE_LIMIT) return keys
  throw new LocalizationError(
    `stopped, nothing done: ${count(keys.length, 'key')} of ${grouped(total)} would be deleted, more than half`,
    {
      code: 'DELETION_LIMIT',
      hint: 'Check the option "files", and that all files exist. To delete keys by name, use localization keys remove.',
    },
  )
}

const BULK_KEYS = 100

/** Reads the service and the files again immediately before deleting keys, and keeps those that have changed. */
async function prune(
  context: CommandContext,
  { config, project, scan }: OpenProject,
  { dryRun, yes }: PushOptions,
  pruning: Pruning,
  keys: readonly PrunableKey[],
): Promise<readonly PrunableKey[]> {
  const { out, signal } = context
  if (dryRun || keys.length === 0) return keys
  if (!(await confirm(context, `Delete ${count(keys.length, 'key')} on the service?`, yes))) return []
  const client = await context.client()
  const deleted: PrunableKey[] = []
  for (const chunk of chunksByNamespace(keys)) {
    if (signal.aborted) break
    const unchanged = await unchangedKeys(chunk, { remote: project.remote, customers: config.customers, signal })
    for (const { namespace, key } of chunk.filter((one) => !unchanged.includes(one)))
      out.warn(`not deleted: ${printable(namespace)} ${quoted(key, 100)} was changed on the service in the meantime`)
    const texts = unchanged.flatMap((key) => key.texts)
    // The files are read last, because reading the service takes a request for each key.
    const { keys: going } = await findPrunable(texts, pruning)
    const isGoing = new Set(going.map(keyId))
    for (const { namespace, key } of unchanged.filter((one) => !isGoing.has(keyId(one))))
      out.warn(`not deleted: ${printable(namespace)} ${quoted(key, 100)} may be in a file again`)
    if (going.length < unchanged.length) await scan()
    if (going.length === 0) continue
    const references = going.map(({ namespace, key }) => ({ key, namespace: serviceNamespace(namespace, config) }))
    const { failures } = await client.keys.deleteMany(references, { retries: 0 })
    for (const { message } of failures) out.warn(`not deleted: ${printable(message)}`)
    if (failures.length > 0) continue
    for (const { texts } of going) for (const { ref } of texts) project.records.setEqual(ref, undefined)
    deleted.push(...going)
  }
  return deleted
}

function chunksByNamespace(keys: readonly PrunableKey[]): PrunableKey[][] {
  const chunks: PrunableKey[][] = []
  for (const group of groupBy(keys, ({ namespace }) => namespace))
    for (let at = 0; at < group.length; at += BULK_KEYS) chunks.push(group.slice(at, at + BULK_KEYS))
  return chunks
}

/** Up to this many texts are sent one by one, so that one refused text does not make others fail. */
const FEW = 50
const IMPORT_TEXTS = 500
/** Texts per portion. */
const QUEUED = 2_000

/** Chooses the method that needs fewer requests, including those for reading. */
function planSending(texts: readonly TextRecord[], given: Via | 'auto', { config, project }: OpenProject) {
  const { isConditional } = project.remote
  const parts = groupBy(texts, ({ ref }) => partId(ref))
  const uploads = parts.reduce((sum, { length }) => sum + Math.ceil(length / IMPORT_TEXTS), 0)
  // If the service has no conditional writes, each upload is preceded by a request that reads.
  const imports = isConditional ? uploads : uploads * 2
  const isFew = texts.length <= FEW || texts.length <= imports
  if (given === 'import' || (given === 'auto' && !isFew)) return { via: 'import' as Via, requests: imports }
  const newTexts = texts.filter(({ ref, theirs }) => theirs === undefined && !knowsKey(project.records, ref))
  const newKeys = new Set(newTexts.map(({ ref }) => `${ref.namespace}\u0000${ref.key}`)).size
  const batches = Math.ceil(texts.length / (config.push === false ? 1 : Math.min(20, config.push.concurrency)))
  return { via: 'patch' as Via, requests: texts.length + newKeys + (isConditional ? 0 : batches) }
}

/** Sends the texts with a progress bar. Returns a reason for each text that was not sent. */
async function sendTexts(
  { out, signal }: CommandContext,
  { config, project, service }: OpenProject,
  texts: readonly TextRecord[],
  { via, requests }: ReturnType<typeof planSending>,
) {
  if (texts.length === 0) return { refused: [], conflicts: [], left: [], failure: undefined }
  const way = via === 'patch' ? 'by v2 PATCH' : `in ${count(requests, 'request')} by import`
  out.say(`sending ${count(texts.length, 'text')} ${way}`)
  const { requestsPerMinute } = config.service
  const most = requestsPerMinute ?? Number.POSITIVE_INFINITY
  const limitedMs = Math.floor((service.requests + requests - 1) / most) * 60_000
  const startedAt = performance.now()
  if (limitedMs > 0) out.say(`at ${requestsPerMinute} requests per minute, this takes about ${duration(limitedMs)}`)
  const bar = out.bar({
    label: 'push',
    total: texts.length,
    unit: 'texts',
    // The configured limit gives an exact time. The service's own limits show in the speed so far.
    leftMs: () => (limitedMs > 0 ? Math.max(0, limitedMs - (performance.now() - startedAt)) : undefined),
  })
  const onRateLimit = (waitMs: number) => out.say(`the service limits requests: waiting ${duration(waitMs)}`)
  const refused: SendResult['refused'] = []
  let failure: unknown
  try {
    // Texts are queued in portions to save memory and disk space.
    for (let at = 0; at < texts.length && failure === undefined && !signal.aborted; at += QUEUED) {
      const only = new Set(texts.slice(at, at + QUEUED).map(({ id }) => id))
      await project.records.queue(only)
      const onProgress = (done: number) => bar.update(at + done)
      const result = await sendOutbox(project, { via, signal, only, onProgress, onRateLimit })
      refused.push(...result.refused)
      failure = result.failure
    }
  } finally {
    bar.end()
  }
  if (signal.aborted) failure = undefined
  const whyNot = failure === undefined ? 'someone changed it in the meantime' : messageOf(failure)
  const reason = signal.aborted ? 'stopped before it was sent' : whyNot
  const refusedIds = new Set(refused.map(({ ref }) => textId(ref)))
  const open = texts.filter(({ id, state }) => state !== 'equal' && !refusedIds.has(id))
  const [conflicts, others] = split(open, ({ state }) => state === 'conflict')
  return {
    refused,
    /** Texts that were not overwritten because they changed on the service in the meantime. */
    conflicts: conflicts.map((text) => ({ ...text })),
    left: others.map(({ ref }) => ({ ref, reason })),
    failure,
  }
}
