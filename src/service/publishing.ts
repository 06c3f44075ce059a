/** From the editor to `_latest`, and from one environment to the next. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { groupsByKey } from '../shared/split.ts'
import { collectParts, joinJson, mergeNamespaces, textsToJson } from './compose.ts'
import { badRequest, HttpError } from './http-error.ts'
import { LATEST, PRODUCTION, type ProjectRecord } from './store/projects.ts'
import type { ResourceRecord } from './store/publications.ts'
import type { Store } from './store/store.ts'

const compress = promisify(gzip)
/** Above this many bytes speed counts more than the last percent. */
const LARGE_FILE_BYTES = 2_000_000
const MAX_COMPRESSIONS = 4

/** One publish at a time per project. */
export class Publisher {
  private readonly running = new Map<number, Promise<unknown>>()

  constructor(
    private readonly store: Store,
    private readonly now: () => string,
    /** Each publish runs at least that long. */
    private readonly minimumMs: number,
  ) {}

  /** Resolves when the files are on disk. 404 for an unknown environment, 409 while another publish runs. */
  async publish(project: ProjectRecord, environment: string): Promise<void> {
    const source = await this.sourceOf(project, environment)
    if (this.running.has(project.id)) {
      throw new HttpError(409, 'PUBLISH_RUNNING', 'A publish of this project is still running.')
    }
    await this.run(project, source, environment)
  }

  /** Like `publish`, but waits for a publish that is running. */
  async publishWhenFree(project: ProjectRecord, environment: string, signal?: AbortSignal): Promise<void> {
    const source = await this.sourceOf(project, environment)
    while (this.running.has(project.id)) await this.running.get(project.id)?.catch(() => {})
    if (!signal?.aborted) await this.run(project, source, environment)
  }

  /** Waits for every running publish. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running.values())
  }

  /** Contract: `_production` comes from `_latest` by default, a custom environment from the one that precedes it. */
  private async sourceOf({ id }: ProjectRecord, environment: string): Promise<string> {
    const order = await this.store.projects.environments(id)
    const position = order.indexOf(environment)
    if (position === -1) throw unknownEnvironment(environment, order)
    return environment === PRODUCTION ? LATEST : (order[position - 1] ?? LATEST)
  }

  private async run(project: ProjectRecord, source: string, environment: string): Promise<void> {
    const publish = environment === LATEST ? this.publishEditor(project) : this.copy(project.id, source, environment)
    const work = Promise.all([publish, this.minimumMs > 0 && sleep(this.minimumMs)])
    this.running.set(project.id, work)
    try {
      await work
    } finally {
      this.running.delete(project.id)
    }
  }

  private async publishEditor({ id }: ProjectRecord): Promise<void> {
    const { files, counts, changes } = composeFiles(await this.store.snapshot((read) => readEditor(read, id)))
    const contents = new Map<string, Uint8Array>()
    const toResource = async ({ body, ...file }: HostedFile): Promise<ResourceRecord> => {
      const bytes = Buffer.from(body)
      const hash = createHash('sha256').update(bytes).digest('hex')
      if (!contents.has(hash) && !(await this.store.publications.hasContent(id, hash))) {
        contents.set(hash, await compress(bytes, { level: bytes.length > LARGE_FILE_BYTES ? 1 : 6 }))
      }
      return { ...file, size: bytes.length, hash }
    }
    const resources: ResourceRecord[] = []
    for (let i = 0; i < files.length; i += MAX_COMPRESSIONS) {
      resources.push(...(await Promise.all(files.slice(i, i + MAX_COMPRESSIONS).map(toResource))))
    }
    const publication = { createdAt: this.now(), ...counts }
    await this.store.transaction(({ publications }) =>
      publications.replace(id, LATEST, publication, resources, contents, changes),
    )
  }

  private async copy(projectId: number, source: string, environment: string): Promise<void> {
    await this.store.transaction(async ({ publications }) => {
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

interface HostedFile extends Omit<ResourceRecord, 'size' | 'hash'> {
  readonly body: string
}

/** Everything that a publish shows. */
async function readEditor({ projects, translations }: Store, projectId: number) {
  const project = await projects.get(projectId)
  return {
    changes: project?.unpublishedChanges ?? 0,
    keys: project ? (await projects.counts(project)).keys : 0,
    languages: await projects.languages(projectId),
    customers: await projects.customers(projectId),
    parts: await collectParts(translations.rows(projectId)),
  }
}

/**
 * Every hosted file of a project.
 *
 * `{language}` holds all namespaces of a language in one, as `_index` does. The default namespace alone is at
 * `{language}/`, an empty last segment: a name of its own, so that namespace and link of every listed resource stay one
 * to one. The status lists the index and the files per language and namespace (and customer); files that hold the same
 * texts again are served but not listed. A customer's files hold that customer's own texts.
 */
function composeFiles({ changes, keys, languages, customers, parts }: Awaited<ReturnType<typeof readEditor>>) {
  const groups = groupsByKey(parts, (part) => `${part.language}\0${part.customer}`)
  const files: HostedFile[] = []
  const taken = new Set<string>()
  const merged = new Map<string, string>()
  for (const customer of [undefined, ...customers.map(({ key }) => key)]) {
    for (const { key: language } of languages) {
      const group = groups.get(`${language}\0${customer ?? ''}`)
      if (!group && customer !== undefined) continue
      const base = basePath(language, customer, taken)
      const body = textsToJson(mergeNamespaces(group ?? []))
      if (customer === undefined) merged.set(language, body)
      files.push({ path: base, listed: false, language, customer, body })
      for (const { namespace, texts } of group ?? []) {
        const path = `${base}/${encodeURIComponent(namespace)}`
        files.push({ path, listed: true, language, namespace, customer, body: textsToJson(texts) })
      }
    }
  }
  const names = languages.map(({ key, name, isDefault }) => ({ key, name, isDefault }))
  const texts = parts.flatMap((part) => [...part.texts.values()])
  return {
    changes,
    files: [
      { path: '_index', listed: true, body: joinJson(merged) },
      { path: '_languages', listed: false, body: JSON.stringify(names) },
      { path: '_customers', listed: false, body: JSON.stringify(customers) },
      ...files,
    ],
    counts: {
      numberOfKeys: keys,
      numberOfLanguages: languages.length,
      numberOfNonEmptyTranslations: texts.filter((text) => text !== '').length,
    },
  }
}

/** `pt_BR` may be a language and customer `BR` of `pt` at once: the language keeps the plain address. */
function basePath(language: string, customer: string | undefined, taken: Set<string>): string {
  const path = [language, customer]
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('_')
  if (taken.has(path)) return path.replace(/_([^_]*)$/, '%5F$1')
  taken.add(path)
  return path
}
