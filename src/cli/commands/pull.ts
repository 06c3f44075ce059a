/** `localization pull` writes the service's changes into the files, text by text. */
import * as z from 'zod'
import { partId } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import type { TextRecord } from '../../sync/records.ts'
import { type CommandContext, defineCommand, flag } from '../command.ts'
import { FILTERS } from '../filters.ts'
import { type OpenProject, openProject, sortDifferences } from '../project.ts'
import {
  conflictLines,
  conflictOf,
  conflictResult,
  partResult,
  skippedLines,
  summarize,
  summaryTable,
} from '../summary.ts'

export const pullResult = z.object({
  dryRun: z.boolean(),
  /** The texts that were written, or would be with `--dry-run`. */
  parts: z.array(partResult),
  texts: z.number().int(),
  files: z.array(z.string()),
  conflicts: z.array(conflictResult),
  /** The number of texts deleted from the files but still on the service. `--restore` restores them. */
  deletedHere: z.number().int(),
  /** The number of texts deleted on the service but still in the files. `--prune` deletes them. */
  deletedThere: z.number().int(),
  /** Files that were not written, because they are unreadable or were edited in the meantime. */
  skippedFiles: z.array(z.string()),
  left: z.number().int(),
})

export const command = defineCommand({
  description: "Write the service's changes into the files. Conflicts overwrite nothing, and the command exits with 1.",
  examples: ['pull', 'pull --language pl --dry-run'],
  options: {
    prune: flag('also delete texts that were deleted on the service, unless the files have changed them'),
    restore: flag('restore texts that were deleted from the files'),
    dryRun: flag('only show what would be written'),
    ...FILTERS,
  },
  result: pullResult,
  async work(context, options) {
    const { dryRun, restore, prune } = options
    const open = await openProject(context, options, !dryRun)
    try {
      const before = sortDifferences(open.differences().map((text) => ({ ...text })))
      const { conflicts, deletedHere, deletedThere } = before
      const incoming = [...before.incoming, ...(restore ? deletedHere : []), ...(prune ? deletedThere : [])]
      const { written, files, skipped } = dryRun
        ? { written: incoming, files: [], skipped: [] }
        : await writeAll(context, open, incoming)
      const data = {
        dryRun,
        parts: summarize({
          added: written.filter(({ ours, theirs }) => ours === undefined && theirs !== undefined),
          changed: written.filter(({ ours, theirs }) => ours !== undefined && theirs !== undefined),
          deleted: written.filter(({ theirs }) => theirs === undefined),
          conflicts,
        }),
        texts: written.length,
        files,
        conflicts: conflicts.map(conflictOf),
        deletedHere: restore ? 0 : deletedHere.length,
        deletedThere: prune ? 0 : deletedThere.length,
        skippedFiles: [...new Set([...open.brokenFiles, ...skipped])],
        left: incoming.length - written.length - skipped.length,
      }
      return { data, failed: conflicts.length > 0 || data.left > 0 || data.skippedFiles.length > 0 }
    } finally {
      await open.close()
    }
  },
  text({ data }, paint) {
    const { dryRun, parts, texts, files, conflicts, deletedHere, deletedThere, skippedFiles, left } = data
    const lines = summaryTable(parts, paint)
    const isEqual = conflicts.length === 0 && skippedFiles.length === 0 && deletedHere + deletedThere === 0
    if (texts === 0) lines.push(isEqual ? 'nothing to pull: the files are up to date' : 'nothing to pull')
    else if (dryRun) lines.push(`would pull ${count(texts, 'text')}`)
    else lines.push(`pulled ${count(texts, 'text')} into ${count(files.length, 'file')}`)
    lines.push(...skippedLines(skippedFiles))
    if (deletedHere > 0)
      lines.push(`${count(deletedHere, 'text')} deleted here, still on the service (pull --restore, or push --prune)`)
    if (deletedThere > 0) lines.push(`${count(deletedThere, 'text')} deleted on the service, still here (pull --prune)`)
    if (left > 0) lines.push(`stopped: ${count(left, 'text')} not written; run the command again to continue`)
    return [...lines, ...conflictLines(conflicts, paint)].join('\n')
  },
})

/** Writes each file completely or not at all. If the command is stopped, it stops between two files. */
async function writeAll({ out, signal }: CommandContext, { project }: OpenProject, incoming: readonly TextRecord[]) {
  const texts = new Map(incoming.map((text) => [text.ref, text]))
  const edits = incoming.map(({ ref, ours, theirs }) => ({ ref, text: theirs, expected: ours }))
  const parts = new Set(incoming.map(({ ref }) => partId(ref)))
  const bar = parts.size > 1 ? out.bar({ label: 'write', total: incoming.length, unit: 'texts' }) : undefined
  try {
    const result = await project.write(edits, { signal, onProgress: (done) => bar?.update(done) })
    for (const reason of new Set(result.skipped.map(({ reason }) => reason))) out.warn(`${reason}: not written`)
    return {
      written: result.written.flatMap(({ ref }) => texts.get(ref) ?? []),
      files: result.files,
      skipped: result.skipped.map(({ file }) => file),
    }
  } finally {
    bar?.end()
  }
}
