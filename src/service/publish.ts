/** Publishes the editor's texts to `_latest`, and one environment's files to the next. */
import { setTimeout as sleep } from 'node:timers/promises'
import { badRequest, HttpError } from './http-error.ts'
import { type GzipFile, JsonFiles, type JsonObject } from './json-file.ts'
import { LATEST, type LanguageRecord, PRODUCTION, type ProjectRecord } from './store/projects.ts'
import type { ResourceRecord } from './store/publications.ts'
import type { ExclusiveStore, ServiceStore, Store } from './store/store.ts'
import type { TextRow } from './store/translations.ts'
import { composeTexts, readRepeatedKeys, type TextObject } from './text-files.ts'

/** The interval between checks whether another process's publish has ended. */
const LOOK_AGAIN_MS = 100

/** Runs one publish per project at a time, across all processes that share the data. */
export class Publisher {
  /** This process's running publishes, by project ID. */
  private readonly running = new Map<number, Promise<unknown>>()

  constructor(
    private readonly store: ServiceStore,
    private readonly now: () => string,
    /** Called during each publish, which ends only after the returned promise has resolved. */
    private readonly during: (() => Promise<unknown>) | undefined,
  ) {}

  /**
   * Resolves when the files are on disk. Throws 404 if the environment is unknown, and 409 if another publish of the
   * project is running.
   */
  async publish(project: ProjectRecord, environment: string): Promise<void> {
    const source = await this.sourceOf(project, environment)
    if (!(await this.runUnlessRunning(project, source, environment))) {
      throw new HttpError(409, 'PUBLISH_RUNNING', 'A publish of this project is still running.')
    }
  }

  /** Like `publish`, but waits for a running publish to end. */
  async publishWhenFree(project: ProjectRecord, environment: string, signal?: AbortSignal): Promise<void> {
    const source = await this.sourceOf(project, environment)
    while (!signal?.aborted) {
      const own = this.running.get(project.id)
      if (own) await own.catch(() => {})
      else if (await this.runUnlessRunning(project, source, environment)) return
      else await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.running.values())
  }

  /**
   * Returns the environment to publish from. Contract: `_production` is published from `_latest`, and a custom
   * environment from the one before it.
   */
  private async sourceOf({ id }: ProjectRecord, environment: string): Promise<string> {
    const order = await this.store.projects.environments(id)
    const position = order.indexOf(environment)
    if (position === -1) throw unknownEnvironment(environment, order)
    return environment === PRODUCTION ? LATEST : (order[position - 1] ?? LATEST)
  }

  /** Returns `false` without publishing if another publish of the project is running. */
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

  private async publishEditor(store: ExclusiveStore, id: number): Promise<void> {
    const draft = new PublishDraft(id, await store.publications.contentHashes(id))
    await store.snapshot((read) => draft.read(read), { isLong: true })
    const { resources, contents, counts, changes } = await draft.finish()
    const publication = { createdAt: this.now(), ...counts }
    await store.addContents(contents)
    await store.transaction(({ publications }) =>
      publications.replace(id, LATEST, publication, resources, contents, changes),
    )
  }

  private async copy(store: ExclusiveStore, projectId: number, source: string, environment: string): Promise<void> {
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

type KeptFile = Pick<GzipFile, 'hash' | 'size'>

interface HostedFile extends Omit<ResourceRecord, keyof KeptFile> {
  readonly file: Promise<KeptFile>
}

/** The files for one language and customer. */
interface Group {
  readonly namespaces: { readonly namespace: string; readonly file: Promise<KeptFile> }[]
  merged: JsonObject | undefined
}

/**
 * All hosted files of a project. `read` must be called in a snapshot. `finish` can be called outside of it.
 *
 * `{language}` contains all of a language's namespaces, and `_index` contains all languages. The default namespace is
 * at `{language}/`, with an empty last segment, so that every listed namespace has its own link. The status lists
 * `_index` and the files for each language, namespace and customer. Files that repeat these texts are served, but not
 * listed. A customer's files contain only texts for that customer.
 */
class PublishDraft {
  private readonly files = new JsonFiles(undefined, (hash) => this.contents.has(hash) || this.published.has(hash))
  private readonly groups = new Map<string, Group>()
  private readonly contents = new Map<string, GzipFile>()
  private changes = 0
  private keys = 0
  private nonEmptyTexts = 0
  private languages: LanguageRecord[] = []
  private customers: Awaited<ReturnType<Store['projects']['customers']>> = []

  constructor(
    private readonly projectId: number,
    /** The hashes of files that are stored already. */
    private readonly published: ReadonlySet<string>,
  ) {}

  async read({ projects, keys, translations }: Store): Promise<void> {
    this.changes = (await projects.get(this.projectId))?.unpublishedChanges ?? 0
    this.languages = await projects.languages(this.projectId)
    this.customers = await projects.customers(this.projectId)
    const { count, repeated: merged } = await readRepeatedKeys(keys, this.projectId)
    this.keys = count
    let compressing: Promise<unknown> = Promise.resolve()
    const objects = await composeTexts(this.counted(translations.rows(this.projectId)), {
      files: this.files,
      merged,
      byNamespace: true,
      onNamespace: async (objects) => {
        // Compresses the files of one namespace while the next one is being read.
        await compressing
        compressing = Promise.all(objects.map((object) => this.addNamespace(object)))
        compressing.catch(() => {})
      },
    })
    for (const { language, customer, namespace, object } of objects) {
      if (namespace === undefined) this.groupOf(language, customer).merged = object
    }
    await compressing
  }

  /**
   * Creates the files. The result's `contents` are those that are not stored yet, and `changes` is the number of
   * changes that this publish includes.
   */
  async finish() {
    const files: HostedFile[] = []
    const merged: [language: string, object: JsonObject][] = []
    const taken = new Set<string>()
    for (const customer of [undefined, ...this.customers.map(({ key }) => key)]) {
      for (const { key: language } of this.languages) {
        const group = this.groups.get(groupId(language, customer ?? ''))
        if (!group && customer !== undefined) continue
        const object = group?.merged ?? this.files.createObject()
        const path = basePath(language, customer, taken)
        files.push({ path, listed: false, language, customer, file: this.keep(object.toFile()) })
        if (customer === undefined) merged.push([language, object])
        for (const { namespace, file } of group?.namespaces ?? []) {
          files.push({
            path: `${path}/${encodeURIComponent(namespace)}`,
            listed: true,
            language,
            namespace,
            customer,
            file,
          })
        }
      }
    }
    const names = this.languages.map(({ key, name, isDefault }) => ({ key, name, isDefault }))
    files.unshift(
      { path: '_index', listed: true, file: this.keep(this.files.join(merged)) },
      { path: '_languages', listed: false, file: this.keep(this.files.of(names)) },
      { path: '_customers', listed: false, file: this.keep(this.files.of(this.customers)) },
    )
    const resources = files.map(async ({ file, ...resource }) => ({ ...resource, ...(await file) }))
    return {
      changes: this.changes,
      resources: await Promise.all(resources),
      contents: [...this.contents.values()],
      counts: {
        numberOfKeys: this.keys,
        numberOfLanguages: this.languages.length,
        numberOfNonEmptyTranslations: this.nonEmptyTexts,
      },
    }
  }

  private async *counted(rows: AsyncIterable<readonly TextRow[]>) {
    for await (const batch of rows) {
      for (const { text } of batch) if (text !== '') this.nonEmptyTexts++
      yield batch
    }
  }

  private async addNamespace({ language, customer, namespace = '', object }: TextObject): Promise<void> {
    const file = this.keep(object.toFile())
    this.groupOf(language, customer).namespaces.push({ namespace, file })
    await file
    object.release()
  }

  private groupOf(language: string, customer: string): Group {
    const id = groupId(language, customer)
    const group = this.groups.get(id) ?? { namespaces: [], merged: undefined }
    this.groups.set(id, group)
    return group
  }

  private async keep(made: Promise<GzipFile>): Promise<KeptFile> {
    const file = await made
    const { hash, size } = file
    if (file.chunks.length > 0) this.contents.set(hash, file)
    return { hash, size }
  }
}

const groupId = (language: string, customer: string) => `${language}\0${customer}`

/**
 * The path for a language's files. `pt_BR` can be a language, or customer `BR` of language `pt`. If both exist, the
 * language gets the plain path.
 */
function basePath(language: string, customer: string | undefined, taken: Set<string>): string {
  let path = [language, customer]
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('_')
  while (taken.has(path)) path = path.replace(/_([^_]*)$/, '%5F$1')
  taken.add(path)
  return path
}
