/** `localization pull`: the service's changes into the files, text by text. */

import * as z from 'zod'
import { type PartRef, partId } from '../../catalog/text-id.ts'
import { displayPath } from '../../files/patterns.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { addFilters, type FilterOptions } from '../filters.ts'
import { loadSides, type Sides, type TextSides } from '../sides/load.ts'
import { removeFromFile } from '../sides/remove.ts'
import { conflictOf, conflictResult, nameOf, partResult, summarize, summaryTable } from '../sides/summary.ts'
import type { Paint } from '../text.ts'

export const pullResult = z.object({
  dryRun: z.boolean(),
  /** What was written, with `--dry-run` what would be. */
  parts: z.array(partResult),
  texts: z.number().int(),
  /** Files that were written, relative to the root. */
  files: z.array(z.string()),
  conflicts: z.array(conflictResult),
  /** Deleted in the files, still on the service; `--restore` brings them back. */
  deletedHere: z.number().int(),
  /** Deleted on the service, still in the files; `--prune` deletes them. */
  deletedThere: z.number().int(),
  /** Files that cannot be read or that changed meanwhile: left alone. */
  skippedFiles: z.array(z.string()),
  /** Texts that were not written, because the command was stopped. */
  left: z.number().int(),
})

interface PullOptions extends FilterOptions {
  prune?: boolean
  restore?: boolean
  dryRun?: boolean
}

export const addPull: AddCommand = (program, act) => {
  addFilters(
    program
      .command('pull')
      .summary("bring the service's changes into the files")
      .description(
        'Bring what changed on the service into the files. What changed on both sides stays as it is and is reported; exits with 1 then.',
      )
      .option('--prune', 'delete texts from the files that were deleted on the service and not changed here')
      .option('--restore', 'bring back texts that were deleted here')
      .option('--dry-run', 'only say what would be written'),
  )
    .addHelpText('after', examples('pull', 'pull --language pl --dry-run'))
    .action(act(pull))
}

async function pull(context: CommandContext, options: PullOptions) {
  const dryRun = options.dryRun === true
  const sides = await loadSides(context, { filters: options, change: !dryRun, restoreMissingFiles: true })
  const conflicts = sides.texts.filter(({ decision }) => decision === 'conflict')
  try {
    const of = (decision: TextSides['decision']) => sides.texts.filter((text) => text.decision === decision)
    const [goneHere, goneThere] = [of('gone-ours').filter(({ theirs }) => theirs !== undefined), of('gone-theirs')]
    const incoming = [...of('take-theirs'), ...(options.restore ? goneHere : [])]
    const outgoing = options.prune ? goneThere : []
    const outcome = dryRun
      ? { written: incoming, removed: outgoing, files: [], skipped: [], left: 0 }
      : await writeAll(context, sides, incoming, outgoing)
    if (!dryRun) for (const { id, ours } of of('equal')) sides.agree(id, ours)
    const { written, removed, files, skipped, left } = outcome
    const data: z.infer<typeof pullResult> = {
      dryRun,
      parts: summarize({
        added: written.filter(({ ours }) => ours === undefined),
        changed: written.filter(({ ours }) => ours !== undefined),
        deleted: removed,
        conflicts,
      }),
      texts: written.length + removed.length,
      files,
      conflicts: conflicts.map(conflictOf),
      deletedHere: options.restore ? 0 : goneHere.length,
      deletedThere: options.prune ? 0 : goneThere.length,
      skippedFiles: [...new Set([...sides.brokenFiles, ...skipped])],
      left,
    }
    return {
      data,
      failed: conflicts.length > 0 || left > 0 || data.skippedFiles.length > 0,
      text: (paint: Paint) => show(data, conflicts, paint),
    }
  } finally {
    await sides.close(dryRun ? undefined : conflicts)
  }
}

interface Outcome {
  readonly written: readonly TextSides[]
  readonly removed: readonly TextSides[]
  readonly files: string[]
  readonly skipped: string[]
  readonly left: number
}

/** File by file, each whole or not at all; a stop ends it between two files. */
async function writeAll(
  { out, signal }: CommandContext,
  sides: Sides,
  incoming: readonly TextSides[],
  outgoing: readonly TextSides[],
): Promise<Outcome> {
  const parts = new Map<string, { part: PartRef; incoming: TextSides[]; outgoing: TextSides[] }>()
  const groupOf = ({ ref: { key: _key, ...part } }: TextSides) => {
    const group = parts.get(partId(part)) ?? { part, incoming: [], outgoing: [] }
    parts.set(partId(part), group)
    return group
  }
  for (const text of incoming) groupOf(text).incoming.push(text)
  for (const text of outgoing) groupOf(text).outgoing.push(text)
  // Before anything is written: half of the texts would be in the wrong file on the next disk.
  sides.files.checkNames([...parts.values()].filter(({ incoming }) => incoming.length > 0).map(({ part }) => part))
  const written: TextSides[] = []
  const removed: TextSides[] = []
  const files: string[] = []
  const skipped: string[] = []
  const total = incoming.length + outgoing.length
  const bar = parts.size > 1 ? out.bar({ label: 'write', total, unit: 'texts' }) : undefined
  let done = 0
  for (const group of parts.values()) {
    if (signal.aborted) break
    const path = sides.files.pathOf(group.part)
    const file = path === undefined ? undefined : displayPath(sides.config.root, path)
    const texts = new Map(group.incoming.map(({ ref, theirs = '' }) => [ref.key, theirs]))
    const outcome = texts.size === 0 ? 'written' : await sides.files.write(group.part, texts)
    const gone =
      outcome === 'written' && group.outgoing.length > 0
        ? await removeFromFile(sides, group.part, new Set(group.outgoing.map(({ ref }) => ref.key)))
        : outcome
    if (outcome === 'written') {
      for (const text of group.incoming) {
        written.push(text)
        sides.agree(text.id, text.theirs)
      }
    }
    if (gone === 'written') {
      for (const text of group.outgoing) {
        removed.push(text)
        sides.agree(text.id, undefined)
      }
      if (file !== undefined) files.push(file)
    } else {
      const why = {
        changed: 'was saved meanwhile',
        broken: 'cannot be read',
        homeless: 'has no place in the option files',
        unnameable: 'would have a longer name than a file may have',
      }
      const name = file ?? `${group.part.language}/${group.part.namespace}`
      out.warn(`${name} ${why[gone]}: left as it is`)
      skipped.push(name)
    }
    done += group.incoming.length + group.outgoing.length
    bar?.update(done)
  }
  bar?.end()
  return { written, removed, files, skipped, left: total - done }
}

function show(data: z.infer<typeof pullResult>, conflicts: readonly TextSides[], paint: Paint): string {
  const { dryRun, parts, texts, files, deletedHere, deletedThere, left } = data
  const lines = parts.length > 0 ? [summaryTable(parts, paint)] : []
  if (texts === 0)
    lines.push(conflicts.length > 0 ? 'nothing to pull' : 'nothing to pull: the files have what the service has')
  else if (dryRun) lines.push(`would pull ${count(texts, 'text')}`)
  else lines.push(`pulled ${count(texts, 'text')} into ${count(files.length, 'file')}`)
  if (deletedHere > 0)
    lines.push(`${count(deletedHere, 'text')} deleted here, still on the service (pull --restore, or push --prune)`)
  if (deletedThere > 0) lines.push(`${count(deletedThere, 'text')} deleted on the service, still here (pull --prune)`)
  if (left > 0) lines.push(`stopped: ${count(left, 'text')} not written; the same command goes on`)
  return [...lines, ...conflictLines(conflicts, paint)].join('\n')
}

/** The first conflicts by name, and what to do about them. */
export function conflictLines(conflicts: readonly TextSides[], paint: Paint): string[] {
  if (conflicts.length === 0) return []
  return [
    `${paint('red', count(conflicts.length, 'conflict'))}: both sides changed, nothing was overwritten`,
    ...conflicts.slice(0, 3).map(({ ref }) => `  ${nameOf(ref)}`),
    ...(conflicts.length > 3 ? [`  and ${count(conflicts.length - 3, 'more', 'more')}`] : []),
    'See them with: localization diff --conflicts. Decide with: localization resolve',
  ]
}
