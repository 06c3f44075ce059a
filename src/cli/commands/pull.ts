/** `localization pull`: the service's changes into the files, text by text. */

import * as z from 'zod'
import { partId } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import { ACTIONS } from '../../sync/decide.ts'
import type { TextRecord } from '../../sync/text-record.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { addFilters, type FilterOptions } from '../filters.ts'
import { type OpenProject, openProject } from '../project.ts'
import { conflictOf, conflictResult, nameOf, partResult, summarize, summaryTable } from '../summary.ts'
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
  const open = await openProject(context, { filters: options, change: !dryRun })
  try {
    // As it is before anything is written.
    const before = open.differences().map((text) => ({ ...text }))
    const of = (state: TextRecord['state']) => before.filter((text) => text.state === state)
    const [conflicts, goneHere, goneThere] = [of('conflict'), of('deleted-here'), of('deleted-there')]
    const incoming = [
      ...before.filter(({ state }) => ACTIONS[state] === 'write'),
      ...(options.restore ? goneHere : []),
      ...(options.prune ? goneThere : []),
    ]
    const { written, files, skipped } = dryRun
      ? { written: incoming, files: [], skipped: [] }
      : await writeAll(context, open, incoming)
    const left = incoming.length - written.length - skipped.length
    const data: z.infer<typeof pullResult> = {
      dryRun,
      parts: summarize({
        added: written.filter(({ ours, theirs }) => ours === undefined && theirs !== undefined),
        changed: written.filter(({ ours, theirs }) => ours !== undefined && theirs !== undefined),
        deleted: written.filter(({ theirs }) => theirs === undefined),
        conflicts,
      }),
      texts: written.length,
      files: [...files],
      conflicts: conflicts.map(conflictOf),
      deletedHere: options.restore ? 0 : goneHere.length,
      deletedThere: options.prune ? 0 : goneThere.length,
      skippedFiles: [...new Set([...open.brokenFiles, ...skipped])],
      left,
    }
    return {
      data,
      failed: conflicts.length > 0 || left > 0 || data.skippedFiles.length > 0,
      text: (paint: Paint) => show(data, conflicts, paint),
    }
  } finally {
    await open.close()
  }
}

/** File by file, each whole or not at all; a stop ends it between two files. */
async function writeAll({ out, signal }: CommandContext, { project }: OpenProject, incoming: readonly TextRecord[]) {
  const texts = new Map(incoming.map((text) => [text.ref, text]))
  const edits = incoming.map(({ ref, ours, theirs }) => ({ ref, text: theirs, expected: ours }))
  const parts = new Set(incoming.map(({ ref }) => partId(ref)))
  const bar = parts.size > 1 ? out.bar({ label: 'write', total: incoming.length, unit: 'texts' }) : undefined
  try {
    const result = await project.write(edits, { signal, onProgress: (done) => bar?.update(done) })
    for (const reason of new Set(result.skipped.map(({ reason }) => reason))) out.warn(`${reason}: left as it is`)
    return {
      written: result.written.flatMap(({ ref }) => texts.get(ref) ?? []),
      files: result.files,
      /** One for each text that was not written because of its file. */
      skipped: result.skipped.map(({ file }) => file),
    }
  } finally {
    bar?.end()
  }
}

/** A command that leaves a file out must not look as if it had looked at everything. */
export function skippedLine(files: readonly string[]): string {
  const more = files.length > 3 ? `, and ${count(files.length - 3, 'more', 'more')}` : ''
  return `${count(files.length, 'file')} left out, which cannot be read: ${files.slice(0, 3).join(', ')}${more}`
}

function show(data: z.infer<typeof pullResult>, conflicts: readonly TextRecord[], paint: Paint): string {
  const { dryRun, parts, texts, files, deletedHere, deletedThere, skippedFiles, left } = data
  const lines = parts.length > 0 ? [summaryTable(parts, paint)] : []
  const isEqual = conflicts.length === 0 && skippedFiles.length === 0 && deletedHere + deletedThere === 0
  if (texts === 0) lines.push(isEqual ? 'nothing to pull: the files have what the service has' : 'nothing to pull')
  else if (dryRun) lines.push(`would pull ${count(texts, 'text')}`)
  else lines.push(`pulled ${count(texts, 'text')} into ${count(files.length, 'file')}`)
  if (skippedFiles.length > 0) lines.push(skippedLine(skippedFiles))
  if (deletedHere > 0)
    lines.push(`${count(deletedHere, 'text')} deleted here, still on the service (pull --restore, or push --prune)`)
  if (deletedThere > 0) lines.push(`${count(deletedThere, 'text')} deleted on the service, still here (pull --prune)`)
  if (left > 0) lines.push(`stopped: ${count(left, 'text')} not written; the same command goes on`)
  return [...lines, ...conflictLines(conflicts, paint)].join('\n')
}

/** The first conflicts by name, and what to do about them. */
export function conflictLines(conflicts: readonly TextRecord[], paint: Paint): string[] {
  if (conflicts.length === 0) return []
  return [
    `${paint('red', count(conflicts.length, 'conflict'))}: both sides changed, nothing was overwritten`,
    ...conflicts.slice(0, 3).map(({ ref }) => `  ${nameOf(ref)}`),
    ...(conflicts.length > 3 ? [`  and ${count(conflicts.length - 3, 'more', 'more')}`] : []),
    'See them with: localization diff --conflicts. Decide with: localization resolve',
  ]
}
