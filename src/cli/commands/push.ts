/** `localization push`: the files' changes to the service, text by text. */

import { Option } from 'commander'
import * as z from 'zod'
import { serviceNamespace } from '../../catalog/names.ts'
import { LocalizationError } from '../../errors.ts'
import { count, grouped } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { addFilters, type FilterOptions } from '../filters.ts'
import { projectLanguages } from '../project-languages.ts'
import { loadSides, type Sides, type TextSides } from '../sides/load.ts'
import { findPrunable, PRUNE_LIMIT, type PrunableKey } from '../sides/prune.ts'
import { countNewKeys, planSending, type SendOutcome, sendTexts } from '../sides/send.ts'
import {
  conflictOf,
  conflictResult,
  nameOf,
  partResult,
  summarize,
  summaryTable,
  textRefResult,
} from '../sides/summary.ts'
import { type Paint, printable, quoted } from '../text.ts'
import { conflictLines } from './pull.ts'

export const pushResult = z.object({
  dryRun: z.boolean(),
  /** How texts were sent, or would be; `null`: there were none. */
  via: z.enum(['patch', 'import']).nullable(),
  parts: z.array(partResult),
  texts: z.number().int(),
  conflicts: z.array(conflictResult),
  refused: z.array(textRefResult.extend({ reason: z.string() })),
  /** Keys deleted on the service, with `--dry-run` those that would be. Empty without `--prune`. */
  pruned: z.array(z.object({ namespace: z.string(), key: z.string(), texts: z.number().int() })),
  /** Texts deleted here, still on the service. */
  deletedHere: z.number().int(),
  /** Texts deleted on the service, unchanged here: not sent again. */
  deletedThere: z.number().int(),
  skippedFiles: z.array(z.string()),
  /** Texts that were not sent, because the command was stopped or the service failed. */
  left: z.number().int(),
  /** Why not, where it was the service. */
  failure: z.string().nullable(),
})
type Result = z.infer<typeof pushResult>

interface PushOptions extends FilterOptions {
  via: 'auto' | 'patch' | 'import'
  prune?: boolean
  unseen?: boolean
  createLanguages?: boolean
  yes?: boolean
  dryRun?: boolean
}

export const addPush: AddCommand = (program, act) => {
  addFilters(
    program
      .command('push')
      .summary("send the files' changes to the service")
      .description(
        'Send what changed in the files to the service. What changed on both sides stays as it is and is reported; exits with 1 then.',
      )
      .addOption(
        new Option('--via <way>', 'v2 PATCH for each text, import for each file, or what takes fewer requests')
          .choices(['auto', 'patch', 'import'])
          .default('auto'),
      )
      .option('--create-languages', 'let the service make languages that the project does not have')
      .option('--prune', 'delete keys on the service that were deleted from the files; shows them and asks first')
      .option('--unseen', 'with --prune: also keys that these files never had')
      .option('--yes', 'do not ask')
      .option('--dry-run', 'only say what would be sent and deleted'),
  )
    .addHelpText('after', examples('push --dry-run', 'push --namespace "views/*"', 'push --prune --namespace common'))
    .action(act(push))
}

async function push(context: CommandContext, options: PushOptions) {
  if (options.prune && (options.language || options.customer))
    throw new UsageError('--prune deletes keys with their texts in every language: it goes with --namespace only')
  if (options.unseen && !options.prune) throw new UsageError('--unseen goes with --prune')
  const dryRun = options.dryRun === true
  // Before anything is sent: half a command would have been carried out.
  if (options.prune && !dryRun && !options.yes && !context.io.canAsk)
    throw new UsageError(
      '--prune asks before it deletes, and there is nobody to ask here: give --yes, or --dry-run to look first',
    )
  const sides = await loadSides(context, { filters: options, change: !dryRun })
  const of = (decision: TextSides['decision']) => sides.texts.filter((text) => text.decision === decision)
  let conflicts = of('conflict')
  try {
    const outgoing = of('take-ours')
    const unknown = await refuseUnknownLanguages(context, sides, outgoing, options)
    const plan = planSending(outgoing, unknown ? 'import' : options.via, countNewKeys(sides, outgoing))
    const prunable = options.prune ? await findPrunable(sides, options.unseen === true) : undefined
    if (prunable) showPrunable(context, prunable, dryRun)
    const outcome: SendOutcome = dryRun
      ? { sent: outgoing, refused: [], overtaken: [], left: 0, failure: undefined }
      : await sendTexts(context, sides, outgoing, plan)
    if (!dryRun) for (const { id, ours } of of('equal')) sides.agree(id, ours)
    conflicts = [...conflicts, ...outcome.overtaken]
    const pruned = prunable && outcome.left === 0 ? await prune(context, sides, prunable.keys, options) : []
    const gone = new Set(pruned.map(({ namespace, key }) => JSON.stringify([namespace, key])))
    const data: Result = {
      dryRun,
      via: outgoing.length === 0 ? null : plan.via,
      parts: summarize({
        added: outcome.sent.filter(({ theirs }) => theirs === undefined),
        changed: outcome.sent.filter(({ theirs }) => theirs !== undefined),
        conflicts,
      }),
      texts: outcome.sent.length,
      conflicts: conflicts.map(conflictOf),
      refused: outcome.refused.map(({ text: { ref }, reason }) => ({
        ...{ language: ref.language, namespace: ref.namespace, key: ref.key, customer: ref.customer ?? null },
        reason,
      })),
      pruned: pruned.map(({ namespace, key, texts }) => ({ namespace, key, texts })),
      deletedHere: of('gone-ours').filter(
        ({ ref, theirs }) => theirs !== undefined && !gone.has(JSON.stringify([ref.namespace, ref.key])),
      ).length,
      deletedThere: of('gone-theirs').length,
      skippedFiles: [...sides.brokenFiles],
      left: outcome.left,
      failure: outcome.failure === undefined || context.signal.aborted ? null : messageOf(outcome.failure),
    }
    const { refused, skippedFiles, left } = data
    return {
      data,
      failed:
        conflicts.length > 0 || refused.length > 0 || left > 0 || skippedFiles.length > 0 || data.failure !== null,
      text: (paint: Paint) => show(data, conflicts, outgoing.length, plan.requests, paint),
    }
  } finally {
    await sides.close(dryRun ? undefined : conflicts)
  }
}

/** True: a language has to be made, which only an import does. */
async function refuseUnknownLanguages(
  context: CommandContext,
  sides: Sides,
  outgoing: readonly TextSides[],
  { createLanguages, via }: PushOptions,
): Promise<boolean> {
  const wanted = new Set(outgoing.map(({ ref }) => ref.language))
  if (wanted.size === 0) return false
  const known = await projectLanguages(await context.client(), sides.config)
  const present = new Set(known?.languages ?? [...sides.serviceTexts.values()].map(({ ref }) => ref.language))
  const unknown = [...wanted].filter((language) => !present.has(language))
  if (unknown.length === 0 || (!known && via === 'patch')) return false
  if (!createLanguages) {
    throw new LocalizationError(
      `the project has no language ${unknown.map((name) => JSON.stringify(name)).join(', ')}`,
      {
        code: 'UNKNOWN_LANGUAGE',
        hint: 'Add it in the service, map its name with languageMap, leave it out with --language, or give --create-languages.',
      },
    )
  }
  if (via === 'patch') throw new UsageError('--create-languages needs an import: leave out --via patch')
  return true
}

/** The preview. Throws where more than half of the keys would go. */
function showPrunable(
  { out, globals }: CommandContext,
  { keys, total, unseen }: { keys: readonly PrunableKey[]; total: number; unseen: number },
  dryRun: boolean,
): void {
  if (unseen > 0)
    out.say(`${count(unseen, 'key')} on the service that these files never had: left alone (--unseen deletes them too)`)
  if (keys.length === 0) return
  out.say(`${dryRun ? 'would delete' : 'to delete'} on the service, with their texts in every language:`)
  const shown = globals.verbose ? keys : keys.slice(0, 30)
  for (const { namespace, key, texts } of shown)
    out.say(`  ${printable(namespace)} ${quoted(key, 100)} (${count(texts, 'text')})`)
  if (shown.length < keys.length)
    out.say(`  and ${count(keys.length - shown.length, 'more key', 'more keys')} (--verbose shows all)`)
  if (keys.length <= total * PRUNE_LIMIT) return
  throw new LocalizationError(
    `stopped, nothing sent or deleted: ${count(keys.length, 'key')} of ${grouped(total)} would be deleted, more than half`,
    {
      code: 'CATALOG_EMPTY',
      hint: 'Check the option files and whether the files are all there; keys remove deletes keys by name.',
    },
  )
}

async function prune(
  context: CommandContext,
  sides: Sides,
  keys: readonly PrunableKey[],
  { dryRun = false, yes = false }: PushOptions,
): Promise<readonly PrunableKey[]> {
  if (dryRun || keys.length === 0) return keys
  if (!(await confirm(context, `Delete ${count(keys.length, 'key')} on the service?`, { yes }))) return []
  const client = await context.client()
  const references = keys.map(({ namespace, key }) => ({ key, namespace: serviceNamespace(namespace, sides.config) }))
  const { failures } = await client.keys.deleteMany(references)
  for (const { message } of failures) context.out.warn(`not deleted: ${printable(message)}`)
  if (failures.length > 0) return []
  for (const { ids } of keys) for (const id of ids) sides.agree(id, undefined)
  return keys
}

function show(data: Result, conflicts: readonly TextSides[], wanted: number, requests: number, paint: Paint): string {
  const { dryRun, via, parts, texts, refused, pruned, deletedHere, deletedThere, left, failure } = data
  const lines = parts.length > 0 ? [summaryTable(parts, paint)] : []
  const way = via === 'patch' ? 'v2 PATCH' : 'import'
  if (wanted === 0)
    lines.push(conflicts.length > 0 ? 'nothing to push' : 'nothing to push: the service has what the files have')
  else if (dryRun) lines.push(`would push ${count(texts, 'text')} by ${way} (${count(requests, 'request')})`)
  else lines.push(`pushed ${count(texts, 'text')} by ${way}`)
  for (const { reason, ...ref } of refused.slice(0, 10))
    lines.push(
      `${paint('red', 'refused')} ${nameOf({ ...ref, customer: ref.customer ?? undefined })}: ${printable(reason)}`,
    )
  if (refused.length > 10) lines.push(`and ${count(refused.length - 10, 'more', 'more')} refused`)
  if (pruned.length > 0)
    lines.push(`${dryRun ? 'would delete' : 'deleted'} ${count(pruned.length, 'key')} on the service`)
  if (deletedHere > 0) lines.push(`${count(deletedHere, 'text')} deleted here, still on the service (push --prune)`)
  if (deletedThere > 0)
    lines.push(`${count(deletedThere, 'text')} deleted on the service, still here: not sent again (pull --prune)`)
  if (left > 0)
    lines.push(`${failure === null ? 'stopped' : 'failed'}: ${count(left, 'text')} not sent; the same command goes on`)
  if (failure !== null) lines.push(`${paint('red', 'error')} ${printable(failure)}`)
  return [...lines, ...conflictLines(conflicts, paint)].join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
