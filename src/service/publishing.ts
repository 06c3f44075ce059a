/** Publishes from the editor to `_latest`, and from one environment to the next. */
import { setTimeout as sleep } from 'node:timers/promises'
import { badRequest, HttpError } from './http-error.ts'
import { PublishDraft } from './publish-files.ts'
import { LATEST, PRODUCTION, type ProjectRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'

/** The interval of checks for the end of another process's publish. */
const LOOK_AGAIN_MS = 100

/** One publish at a time per project, in all processes that share the data. */
export class Publisher {
  /** Publishes of this process, by project. */
  private readonly running = new Map<number, Promise<unknown>>()

  constructor(
    private readonly store: Store,
    private readonly now: () => string,
    /** Delays the end of a publish until the returned promise resolves. */
    private readonly during: (() => Promise<unknown>) | undefined,
  ) {}

  /** Resolves when the files are on disk. 404 for an unknown environment, 409 while another publish runs. */
  async publish(project: ProjectRecord, environment: string): Promise<void> {
    const source = await this.sourceOf(project, environment)
    if (!(await this.runUnlessRunning(project, source, environment))) {
      throw new HttpError(409, 'PUBLISH_RUNNING', 'A publish of this project is still running.')
    }
  }

  /** Like `publish`, but waits for a running publish. */
  async publishWhenFree(project: ProjectRecord, environment: string, signal?: AbortSignal): Promise<void> {
    const source = await this.sourceOf(project, environment)
    while (!signal?.aborted) {
      const own = this.running.get(project.id)
      if (own) await own.catch(() => {})
      else if (await this.runUnlessRunning(project, source, environment)) return
      else await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Waits for all running publishes. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running.values())
  }

  /** Contract: `_production` is published from `_latest` by default, a custom environment from the one before it. */
  private async sourceOf({ id }: ProjectRecord, environment: string): Promise<string> {
    const order = await this.store.projects.environments(id)
    const position = order.indexOf(environment)
    if (position === -1) throw unknownEnvironment(environment, order)
    return environment === PRODUCTION ? LATEST : (order[position - 1] ?? LATEST)
  }

  /** `false`: nothing was done, because a publish of the project is running. */
  private async runUnlessRunning({ id }: ProjectRecord, source: string, environment: string): Promise<boolean> {
    if (this.running.has(id)) return false
    const work = this.store.exclusive(`publish ${id}`, async (store) => {
      const publish = environment === LATEST ? this.publishEditor(store, id) : this.copy(store, id, source, environment)
      await Promise.all([publish, this.during?.()])
    })
    this.running.set(id, work)
    try {
      return await work
    } finally {
      this.running.delete(id)
    }
  }

  private async publishEditor(store: Store, id: number): Promise<void> {
    const draft = new PublishDraft(id, await store.publications.contentHashes(id))
    await store.snapshot((read) => draft.read(read), { isLong: true })
    const { resources, contents, counts, changes } = await draft.finish()
    const publication = { createdAt: this.now(), ...counts }
    await store.addContents(contents)
    await store.transaction(({ publications }) =>
      publications.replace(id, LATEST, publication, resources, contents, changes),
    )
  }

  private async copy(store: Store, projectId: number, source: string, environment: string): Promise<void> {
    await store.transaction(async ({ publications }) => {
      const publication = await publications.get(projectId, source)
      if (!publication) {
        throw badRequest(`Environment ${environment} is published from ${source}, which is not published yet.`)
      }
      await publications.copy(projectId, source, environment, { ...publication, createdAt: this.now() })
    })
  }
}

export function unknownEnvironment(environment: string, order: readonly string[]): HttpError {
  const known = order.join(', ')
  return new HttpError(404, 'ENVIRONMENT_NOT_FOUND', `Environment ${environment} does not exist. Known: ${known}.`)
}
