/** The texts that wait for a person, on the disk beside the outbox: commands show them while no server runs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { textId } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { writeIfChanged } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

const refSchema = z.object({
  language: z.string(),
  namespace: z.string(),
  key: z.string(),
  customer: z.string().optional(),
})
const valueSchema = z.string().nullable()
const syncStateSchema = z.object({
  version: z.literal(1),
  conflicts: z.array(refSchema.extend({ base: valueSchema, ours: valueSchema, theirs: valueSchema })),
  // `switch`: an earlier version's.
  holds: z.array(refSchema.extend({ text: z.string(), reason: z.enum(['start', 'batch', 'git', 'switch']) })),
})

/** One for each key of the service: texts of one project must never meet those of another. */
export function syncFolder(config: ResolvedConfig): string {
  const { apiKey = '', projectToken = '' } = config.service
  return join(config.root, '.localization', 'sync', hashOf(`unplugin-localization sync\0${apiKey || projectToken}`, 16))
}

/** The ids of the texts that a dev server holds back, as far as that is known. */
export async function readHeld(config: ResolvedConfig): Promise<readonly string[]> {
  try {
    const text = await readFile(join(syncFolder(config), 'state.json'), 'utf8')
    return syncStateSchema.parse(JSON.parse(text)).holds.map(textId)
  } catch {
    return []
  }
}

export async function writeSyncState(folder: string, state: z.infer<typeof syncStateSchema>): Promise<void> {
  const options = { durable: false, mode: 0o600 }
  await writeIfChanged(join(folder, 'state.json'), `${JSON.stringify(state, null, 2)}\n`, options)
}
