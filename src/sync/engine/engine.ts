/** Puts the dev server's sync together: it takes in edits of files, sends them, and brings in what the service changed. Knows no bundler. */
import { createCatalog } from '../../catalog/model.ts'
import { Exchange } from './exchange.ts'
import { Intake } from './intake.ts'
import { Role } from './role.ts'
import { EngineState } from './state.ts'
import type { SyncEngine, SyncEngineOptions } from './types.ts'

export type { SyncEngine, SyncEngineOptions, SyncRole, SyncStatus, SyncUpdate } from './types.ts'

export function createSyncEngine(options: SyncEngineOptions): SyncEngine {
  const state: EngineState = new EngineState(options, (agreed, taken) => exchange.refresh(agreed, taken))
  const intake = new Intake(state)
  const exchange = new Exchange(state, intake)
  const role = new Role(state, intake, exchange)
  const { files, tasks } = state
  let closing: Promise<void> | undefined

  return {
    async start() {
      await intake.start()
      await role.take(options.remote)
      intake.rescanForEver()
    },
    status() {
      const { writer, owner } = state
      return {
        role: state.role,
        owner,
        outbox: writer?.outbox.entries() ?? [],
        holds: Array.from(writer?.records.holds() ?? [], ({ ref, ours, hold }) => ({ ref, text: ours, reason: hold })),
        conflicts: Array.from(writer?.records.conflicts() ?? [], ({ ref, base, ours, theirs }) => ({
          ref,
          base,
          ours,
          theirs,
        })),
        findings: files.findings(),
        failure: exchange.failure,
      }
    },
    localCatalog: () => files.catalog(),
    serviceCatalog: () =>
      createCatalog({
        parts: Array.from(state.writer?.records.shown() ?? [], ({ ref: { key, ...part }, text }) => ({
          ...part,
          messages: [[key, text] as const],
        })),
      }),
    rescan: (given) => intake.rescan(given),
    refresh: () => exchange.read(true),
    push: () => exchange.send(),
    async release(refs) {
      const released = (await state.writer?.release(refs)) ?? 0
      await state.changed()
      return released
    },
    edit: (edits) => intake.edit(edits),
    async resolve(resolutions) {
      const { writer } = state
      if (!writer) return resolutions.map(() => ({ outcome: 'left', reason: 'this process does not sync' }))
      const outcomes = await writer.resolve(resolutions, { signal: tasks.signal, scan: () => intake.rescan() })
      await state.changed()
      return outcomes
    },
    serviceText: (ref) => state.writer?.serviceText(ref) ?? { text: undefined, isReviewed: undefined },
    placeOf: (ref) => files.placeOf(ref),
    close() {
      closing ??= (async () => {
        await tasks.close(new Error('sync is closed'))
        await exchange.idle()
        await files.close()
        await role.close()
      })()
      return closing
    },
  }
}
