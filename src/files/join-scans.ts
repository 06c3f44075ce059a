/** Two scans, one after the other, as one. */

import { textId } from '../catalog/text-id.ts'
import type { ScanResult, TextChange } from './file-index.ts'

/** A text that changed in both goes from what it was before the first to what it was in the second; one that was found stays found. */
export function joinScans(first: ScanResult, second: ScanResult): ScanResult {
  const found = join(first.found, second.found)
  const changes = join(first.changes, [])
  for (const [id, change] of join(second.changes, [])) add(found.has(id) ? found : changes, id, change)
  return {
    changes: changesOf(changes),
    found: changesOf(found),
    files: [...new Set([...first.files, ...second.files])],
    findingsChanged: first.findingsChanged || second.findingsChanged,
    missed: first.missed || second.missed,
    suspect: second.suspect,
  }
}

function join(first: readonly TextChange[], second: readonly TextChange[]): Map<string, TextChange> {
  const joined = new Map<string, TextChange>()
  for (const change of [...first, ...second]) add(joined, textId(change.ref), change)
  return joined
}

function add(to: Map<string, TextChange>, id: string, change: TextChange): void {
  to.set(id, { ...change, before: (to.get(id) ?? change).before })
}

function changesOf(joined: ReadonlyMap<string, TextChange>): readonly TextChange[] {
  return [...joined.values()].filter(({ before, after }) => before !== after)
}
