/** From the editor to `_latest`, and from one environment to the next. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { collectParts, joinJson, mergeNamespaces, type Part, textsToJson } from './compose.ts'
import { badRequest, HttpError } from './http-error.ts'
import { LATEST, type ProjectRecord } from './store/projects.ts'
import type { ResourceRecord } from './store/publications.ts'
import type { Store } from './store/store.ts'

const compress = promisify(gzip)
/** Above this many bytes speed counts more than the last percent. */
const LARGE_FILE = 2_000_000
const COMPRESSIONS_AT_ONCE = 4

export type Publisher = ReturnType<typeof createPublisher>

/** One publish at a time per project; `minimumMs` keeps each running at least that long. */
export function createPublisher(store: Store, now: () => string, minimumMs: number) {
  const running = new Map<number, Promise<void>>()

  const publishEditor = async (project: ProjectRecord): Promise<void> => {
    const changes = store.projects.unpublishedChanges(project.id)
    // Read in one go: nothing can be written between two rows, so the files are one state of the project.
    const { files, numberOfKeys, numberOfLanguages, numberOfNonEmptyTranslations } = composeFiles(store, project)
    const contents = new Map<string, Uint8Array>()
    const resources: ResourceRecord[] = []
    const queue = files.map(({ body, ...file }) => async () => {
      const bytes = Buffer.from(body)
      const hash = createHash('sha256').update(bytes).digest('hex')
      if (!contents.has(hash) && !store.publications.hasContent(project.id, hash)) {
        contents.set(hash, await compress(bytes, { level: bytes.length > LARGE_FILE ? 1 : 6 }))
      }
      return { ...file, size: bytes.length, hash }
    })
    for (let i = 0; i < queue.length; i += COMPRESSIONS_AT_ONCE) {
      resources.push(...(await Promise.all(queue.slice(i, i + COMPRESSIONS_AT_ONCE).map((work) => work()))))
    }
    const publication = { createdAt: now(), numberOfKeys, numberOfLanguages, numberOfNonEmptyTranslations }
    store.publications.replace(project.id, LATEST, publication, resources, contents, changes)
  }

  const publishNext = async (project: ProjectRecord, source: string, environment: string): Promise<void> => {
    if (!store.publications.get(project.id, source)) {
      throw badRequest(`Environment ${environment} is published from ${source}, which is not published yet.`)
    }
    store.publications.copy(project.id, source, environment, now())
  }

  return {
    /** Publishes, and is done when the files are on disk. 404 for an unknown environment, 409 while another publish runs. */
    async publish(project: ProjectRecord, environment: string): Promise<void> {
      const order = store.projects.environments(project.id)
      const position = order.indexOf(environment)
      if (position === -1) throw unknownEnvironment(environment, order)
      if (running.has(project.id)) {
        throw new HttpError(409, 'PUBLISH_RUNNING', 'A publish of this project is still running.')
      }
      const source = environment === LATEST ? undefined : sourceOf(order, position)
      const work = Promise.all([
        source === undefined ? publishEditor(project) : publishNext(project, source, environment),
        minimumMs > 0 ? sleep(minimumMs) : undefined,
      ]).then(() => {})
      running.set(project.id, work)
      try {
        await work
      } finally {
        running.delete(project.id)
      }
    },

    /** Waits for the project's running publish, whatever becomes of it. */
    async settled(projectId: number): Promise<void> {
      await running.get(projectId)?.catch(() => {})
    },

    /** Waits for every running publish. */
    async close(): Promise<void> {
      await Promise.allSettled(running.values())
    },
  }
}

export function unknownEnvironment(environment: string, order: readonly string[]): HttpError {
  const known = order.join(', ')
  return new HttpError(404, 'ENVIRONMENT_NOT_FOUND', `Environment ${environment} does not exist. Known: ${known}.`)
}

/** The contract: `_production` from `_latest` by default, a custom one from the one that precedes it. */
function sourceOf(order: readonly string[], position: number): string {
  const environment = order[position]
  return environment === '_production' ? LATEST : (order[position - 1] ?? LATEST)
}

interface HostedFile extends Omit<ResourceRecord, 'size' | 'hash'> {
  readonly body: string
}

/**
 * Every hosted file of a project.
 *
 * `{language}` holds all namespaces of a language in one, as `_index` does. The default namespace alone is at `{language}/`, an
 * empty last segment: a name of its own, so that namespace and link of every listed resource stay one to one. The status lists
 * the index and the files per language and namespace (and customer); files that hold the same texts again are served but not
 * listed. A customer's files hold that customer's own texts.
 */
function composeFiles(store: Store, project: ProjectRecord) {
  const parts = collectParts(store.translations.rows(project.id))
  const languages = store.projects.languages(project.id)
  const customers = store.projects.customers(project.id)
  const groups = new Map<string, Part[]>()
  let numberOfNonEmptyTranslations = 0
  for (const part of parts) {
    const id = groupId(part.language, part.customer)
    const group = groups.get(id)
    if (group) group.push(part)
    else groups.set(id, [part])
    for (const text of part.texts.values()) if (text !== '') numberOfNonEmptyTranslations++
  }

  const files: HostedFile[] = []
  const taken = new Set<string>()
  const add = (file: HostedFile) => {
    taken.add(file.path)
    files.push(file)
  }
  const merged = new Map<string, string>()
  for (const { key: language } of languages) {
    const group = groups.get(groupId(language, '')) ?? []
    const body = textsToJson(mergeNamespaces(group))
    merged.set(language, body)
    const base = encodeURIComponent(language)
    add({ path: base, listed: false, language, body })
    for (const { namespace, texts } of group) {
      const path = `${base}/${encodeURIComponent(namespace)}`
      add({ path, listed: true, language, namespace, body: textsToJson(texts) })
    }
  }
  for (const { key: customer } of customers) {
    for (const { key: language } of languages) {
      const group = groups.get(groupId(language, customer))
      if (!group) continue
      // `pt_BR` may be a language and customer `BR` of `pt` at once: the language keeps the plain address.
      const plain = `${encodeURIComponent(language)}_${encodeURIComponent(customer)}`
      const base = taken.has(plain) ? plain.replace(/_([^_]*)$/, '%5F$1') : plain
      add({ path: base, listed: false, language, customer, body: textsToJson(mergeNamespaces(group)) })
      for (const { namespace, texts } of group) {
        const path = `${base}/${encodeURIComponent(namespace)}`
        add({ path, listed: true, language, namespace, customer, body: textsToJson(texts) })
      }
    }
  }
  const lists: HostedFile[] = [
    { path: '_index', listed: true, body: joinJson(merged) },
    {
      path: '_languages',
      listed: false,
      body: JSON.stringify(languages.map(({ key, name, isDefault }) => ({ key, name, isDefault }))),
    },
    { path: '_customers', listed: false, body: JSON.stringify(customers) },
  ]
  return {
    files: [...lists, ...files],
    numberOfKeys: store.projects.counts(project.id).keys,
    numberOfLanguages: languages.length,
    numberOfNonEmptyTranslations,
  }
}

function groupId(language: string, customer: string): string {
  return `${language}\0${customer}`
}
