/** The inspector's view of a dev server: the plugin's state, the sync engine and a client of the service. */
import type { Client } from '../api/client.ts'
import { showText } from '../catalog/text-id.ts'
import { formatPlace, messageOf } from '../errors.ts'
import type { WriteOutcome } from '../files/file-index.ts'
import type { SyncEngine } from '../sync/engine/engine.ts'
import type { Activity } from './activity.ts'
import { answerOf } from './answers.ts'
import type { InspectorPort, Snapshot } from './port.ts'
import { createProjectSnapshot, type ProjectState } from './project-snapshot.ts'
import { createServiceDesk } from './service-desk.ts'
import { findUses } from './uses.ts'
import type { ActionAnswer } from './wire.ts'

export interface ProjectPortInput {
  readonly name: string
  readonly activity: Activity
  /** What the app sees now. */
  readonly state: () => Promise<ProjectState>
  /** `undefined`: nothing is synced, and nothing can be written. */
  readonly engine: () => SyncEngine | undefined
  /** Called when either of them may be another one. Returns what ends it. */
  readonly onChange: (listener: () => void) => () => void
  /** A client for jobs and environments; `undefined` where the configuration names no service. */
  readonly client: Client | undefined
}

const WHY: Readonly<Record<Exclude<WriteOutcome, 'written'>, string>> = {
  changed: 'a side was changed meanwhile; look at it again',
  broken: 'its file cannot be read; mend it first',
  unmatched: 'no pattern of the option files has a place for it',
  unnameable: 'its file would have a longer name than a file may have',
}

export function createProjectPort(input: ProjectPortInput): InspectorPort {
  const { activity, client } = input
  let version = 0
  let current: { readonly state: ProjectState; readonly snapshot: Snapshot } | undefined
  let last: Snapshot | undefined
  const listeners = new Set<() => void>()
  const stop = input.onChange(() => {
    current = undefined
    for (const listener of listeners) listener()
  })

  const snapshot = async (): Promise<Snapshot> => {
    const state = await input.state()
    if (current?.state === state) return current.snapshot
    const made = createProjectSnapshot({ version: ++version, state, engine: input.engine(), previous: last })
    last = made
    current = { state, snapshot: made }
    return made
  }

  const needEngine = (): SyncEngine => {
    const engine = input.engine()
    if (!engine) throw new Error('the dev server has not started to watch the files yet')
    return engine
  }

  const write = async (edits: Parameters<SyncEngine['edit']>[0]): Promise<ActionAnswer> => {
    const outcomes = await needEngine().edit(edits)
    return answerOf(
      edits.map(({ ref }) => ref),
      outcomes.map((outcome) => (outcome === 'written' ? undefined : WHY[outcome])),
    )
  }

  const desk =
    client &&
    createServiceDesk({
      client,
      activity,
      config: async () => (await input.state()).config,
      snapshot,
      // What a job wrote is brought in like anything else that changes on the service.
      onServiceChanged: () =>
        void input
          .engine()
          ?.refresh()
          .catch((error: unknown) => activity.note('warn', messageOf(error))),
    })

  return {
    kind: 'project',
    name: input.name,
    activity,
    snapshot,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit: (edit) => write([edit]),
    async resolve(conflicts, side) {
      const outcomes = await needEngine().resolve(conflicts.map((conflict) => ({ ...conflict, side })))
      return answerOf(
        conflicts.map(({ ref }) => ref),
        outcomes.map(({ outcome, reason = '' }) =>
          outcome === 'done' ? undefined : outcome === 'left' ? reason : 'a side changed meanwhile; look at it again',
        ),
      )
    },
    async release(refs) {
      return { done: await needEngine().release(refs), problems: [] }
    },
    async drop(refs) {
      const engine = needEngine()
      const wanted = refs && new Set(refs.map(showText))
      const holds = engine.status().holds.filter(({ ref }) => !wanted || wanted.has(showText(ref)))
      return write(holds.map(({ ref, text }) => ({ ref, text: engine.serviceText(ref).text, expected: text })))
    },
    async push() {
      const engine = needEngine()
      const before = engine.status().outbox.length
      const left = await engine.push()
      const { failure } = engine.status()
      return { done: Math.max(0, before - left), problems: failure === undefined ? [] : [messageOf(failure)] }
    },
    async refresh() {
      await needEngine().refresh()
      return { done: 1, problems: [] }
    },
    async placeOf(ref) {
      const engine = input.engine()
      return engine && formatPlace(await engine.placeOf(ref))
    },
    async usedAt(_namespace, key) {
      const { config } = await input.state()
      return findUses(config, key)
    },
    service: desk,
    async close() {
      stop()
      desk?.close()
      await client?.close()
    },
  }
}
