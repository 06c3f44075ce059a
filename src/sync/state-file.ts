/**
 * What waits for a person, on the disk beside the outbox, so that commands can show and resolve it while no server
 * runs.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { ResolvedConfig } from '../config/types.ts'
import { writeIfChanged } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

const refShape = {
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
  /** Where the text stands: relative to the root, with forward slashes. */
  file: z.string().optional(),
  line: z.number().optional(),
  column: z.number().optional(),
}

const syncStateSchema = z.object({
  version: z.literal(1),
  /** Nothing is overwritten: both texts stay until a person decides. `null`: no text. */
  conflicts: z.array(
    z.object({ ...refShape, base: z.string().nullable(), ours: z.string().nullable(), theirs: z.string().nullable() }),
  ),
  /** Different from the service, and not sent by itself. */
  holds: z.array(z.object({ ...refShape, text: z.string(), reason: z.enum(['start', 'batch', 'switch']) })),
  /** The service did not take them. */
  refused: z.array(z.object({ ...refShape, text: z.string(), reason: z.string() })),
})

/** Conflicts, holds and refusals as they stood when a dev server last wrote them. */
export type SyncState = z.infer<typeof syncStateSchema>

/** The folder of one project's sync data: texts of one project must never meet those of another. */
export function syncFolder(config: ResolvedConfig): string {
  const { apiKey = '', projectToken = '' } = config.service
  return join(config.root, '.localization', 'sync', hashOf(`unplugin-localization sync\0${apiKey || projectToken}`, 16))
}

/** `undefined`: there is none, or none that can be read. */
export async function readSyncState(config: ResolvedConfig): Promise<SyncState | undefined> {
  try {
    const text = await readFile(join(syncFolder(config), 'state.json'), 'utf8')
    return syncStateSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export async function writeSyncState(folder: string, state: SyncState): Promise<void> {
  await writeIfChanged(join(folder, 'state.json'), `${JSON.stringify(state, null, 2)}\n`, {
    durable: false,
    mode: 0o600,
  })
}
