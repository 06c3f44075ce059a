/** Two scans, one after the other, as one. */
import type { ScanResult, TextChange } from './file-state.ts'
import { textId } from './text-id.ts'

/** A text that changed in both goes from what it was before the first to what it was in the second. */
export function joinScans(first: ScanResult, second: ScanResult): ScanResult {
  const changes = new Map<string, TextChange>()
  for (const change of [...first.changes, ...second.changes]) {
    const id = textId(change.ref)
    changes.set(id, { ...change, before: (changes.get(id) ?? change).before })
  }
  return {
    changes: [...changes.values()].filter(({ before, after }) => before !== after),
    files: [...new Set([...first.files, ...second.files])],
    findingsChanged: first.findingsChanged || second.findingsChanged,
    missed: first.missed || second.missed,
    suspect: second.suspect,
  }
}
