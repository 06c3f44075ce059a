/** The files of a publish. */
import { composeTexts, RepeatedKeys, type TextObject } from './compose.ts'
import type { GzipFile } from './gzip.ts'
import { FileMemory, type JsonObject, joinObjects, jsonFile } from './json-file.ts'
import type { CustomerRecord, LanguageRecord } from './store/projects.ts'
import type { Publication, ResourceRecord } from './store/publications.ts'
import type { Store } from './store/store.ts'
import type { TextRow } from './store/translations.ts'

/** The new content of `_latest`. */
export interface PublishFiles {
  readonly counts: Omit<Publication, 'createdAt'>
  /** The project's changes that the files include. */
  readonly changes: number
  readonly resources: readonly ResourceRecord[]
  /** Contents that the project does not have yet. */
  readonly contents: readonly GzipFile[]
}

type KeptFile = Pick<GzipFile, 'hash' | 'size'>

interface HostedFile extends Omit<ResourceRecord, keyof KeptFile> {
  readonly file: Promise<KeptFile>
}

/** The files of one language and customer. */
interface Group {
  readonly namespaces: { readonly namespace: string; readonly file: Promise<KeptFile> }[]
  merged: JsonObject | undefined
}

/**
 * Every hosted file of a project. `read` needs a snapshot, `finish` does not.
 *
 * `{language}` contains all namespaces of a language, as `_index` does for all languages. The default namespace alone
 * is at `{language}/`, with an empty last segment, so that every listed namespace has a separate link. The status lists
 * the index and the files per language and namespace (and customer); files that repeat these texts are served but not
 * listed. A customer's files contain only that customer's own texts.
 */
export class PublishDraft {
  private readonly memory = new FileMemory()
  private readonly groups = new Map<string, Group>()
  private readonly contents = new Map<string, GzipFile>()
  private changes = 0
  private keys = 0
  private nonEmptyTexts = 0
  private languages: LanguageRecord[] = []
  private customers: CustomerRecord[] = []

  constructor(
    private readonly projectId: number,
    /** Hashes of contents that the project already has. */
    private readonly published: ReadonlySet<string>,
  ) {}

  async read({ projects, keys, translations }: Store): Promise<void> {
    this.changes = (await projects.get(this.projectId))?.unpublishedChanges ?? 0
    this.languages = await projects.languages(this.projectId)
    this.customers = await projects.customers(this.projectId)
    const merged = await RepeatedKeys.read(keys, this.projectId)
    this.keys = merged.count
    let compressing: Promise<unknown> = Promise.resolve()
    const objects = await composeTexts(this.counted(translations.rows(this.projectId)), {
      memory: this.memory,
      merged,
      byNamespace: true,
      onNamespace: async (objects) => {
        // The files of one namespace are compressed while the next one is read.
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

  async finish(): Promise<PublishFiles> {
    const files: HostedFile[] = []
    const merged: [language: string, object: JsonObject][] = []
    const taken = new Set<string>()
    for (const customer of [undefined, ...this.customers.map(({ key }) => key)]) {
      for (const { key: language } of this.languages) {
        const group = this.groups.get(groupId(language, customer ?? ''))
        if (!group && customer !== undefined) continue
        const object = group?.merged ?? this.memory.createObject()
        const path = basePath(language, customer, taken)
        files.push({ path, listed: false, language, customer, file: this.keep(object.toFile(this.isKnown)) })
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
      { path: '_index', listed: true, file: this.keep(joinObjects(merged, this.memory, this.isKnown)) },
      { path: '_languages', listed: false, file: this.keep(jsonFile(names, this.memory, this.isKnown)) },
      { path: '_customers', listed: false, file: this.keep(jsonFile(this.customers, this.memory, this.isKnown)) },
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
    const file = this.keep(object.toFile(this.isKnown))
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

  private readonly isKnown = async (hash: string) => this.contents.has(hash) || this.published.has(hash)
}

const groupId = (language: string, customer: string) => `${language}\0${customer}`

/** `pt_BR` may be a language, and also customer `BR` of `pt`: the language gets the plain address. */
function basePath(language: string, customer: string | undefined, taken: Set<string>): string {
  const path = [language, customer]
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('_')
  if (taken.has(path)) return path.replace(/_([^_]*)$/, '%5F$1')
  taken.add(path)
  return path
}
