/** A project on a service, without files: edits change the service directly. */
import { type Client, createClient } from '../api/client.ts'
import type { Project } from '../api/resources.ts'
import type { Translation } from '../api/schemas.ts'
import { createCatalog, type PartInput } from '../catalog/model.ts'
import { appNamespace } from '../catalog/names.ts'
import { type TextRef, textId, textRef } from '../catalog/text-id.ts'
import type { TextEdit } from '../files/edit.ts'
import { createActivity } from './activity.ts'
import type { InspectedProject } from './endpoint.ts'
import { createInspector } from './handler.ts'
import { CHANGED, type Reasons } from './protocol.ts'
import { ServiceWork } from './service-work.ts'
import { createSnapshot, type Snapshot } from './snapshot.ts'

type ProjectInfo = Pick<Project, 'languages' | 'customers'>

const CONFIG = {
  defaultNamespace: 'default',
  languageMap: {},
  environment: '_production',
  service: { timeoutMs: 60_000 },
}

export class ServiceProject implements InspectedProject {
  readonly id: string
  readonly name: string
  readonly activity = createActivity(Date.now)
  readonly service: ServiceWork
  readonly #client: Client
  readonly #describe: () => Promise<ProjectInfo>
  #current: Promise<Snapshot> | undefined
  #config = CONFIG

  /** `describe` reads the project's languages and customers. */
  constructor(id: string, name: string, client: Client, describe: () => Promise<ProjectInfo>) {
    this.id = id
    this.name = name
    this.#client = client
    this.#describe = describe
    this.service = new ServiceWork(
      client,
      this.activity,
      async () => this.#config,
      () => this.changed(),
    )
  }

  get engine(): never {
    throw new Error('this project has no files to sync')
  }

  snapshot(): Promise<Snapshot> {
    if (!this.#current) {
      const reading = this.#read()
      this.#current = reading
      // If reading fails, the next call tries again.
      reading.catch(() => {
        if (this.#current === reading) this.#current = undefined
      })
    }
    return this.#current
  }

  /** Must be called after something was written to the service. */
  changed(): void {
    this.service.forget()
    this.#current = undefined
    this.activity.notify('change')
  }

  async edit(edits: readonly TextEdit[]): Promise<Reasons> {
    const reasons: (string | undefined)[] = []
    for (const { ref, text = '', expected = '' } of edits) {
      const isSet = await this.service.setText({ ref, text: expected }, text)
      reasons.push(isSet ? undefined : CHANGED)
      if (!isSet) continue
      this.activity.log('info', `changed ${ref.language}/${ref.namespace} ${JSON.stringify(ref.key)}`)
      this.changed()
    }
    return reasons
  }

  reviewed(): void {
    this.changed()
  }

  async refresh(): Promise<void> {
    this.changed()
  }

  async close(): Promise<void> {
    this.service.close()
    await this.#client.close()
  }

  async #read(): Promise<Snapshot> {
    const { languages, ...project } = await this.#describe()
    const customers = (project.customers ?? []).map(({ key }) => key)
    const rows: Translation[] = []
    for (const customer of [undefined, ...customers])
      for await (const row of this.#client.translations.queryAll({ customerId: customer }))
        if ((row.customerId ?? undefined) === customer) rows.push(row)
    // Another namespace may have the name that is shown for the default namespace.
    let { defaultNamespace } = CONFIG
    while (rows.some(({ namespace }) => namespace === defaultNamespace)) defaultNamespace = `(${defaultNamespace})`
    this.#config = { ...CONFIG, defaultNamespace }
    const texts: PartInput[] = []
    const reviews = new Map<string, boolean>()
    for (const { language, customerId, key, text, reviewStatus, ...row } of rows) {
      const namespace = appNamespace(row.namespace, this.#config)
      const part = { language, namespace, customer: customerId ?? undefined }
      texts.push({ ...part, messages: [[key, text]] })
      reviews.set(textId(textRef(part, key)), reviewStatus === 'REVIEWED')
    }
    const catalog = createCatalog({ languages, parts: texts })
    const textOf = ({ language, namespace, key, customer }: TextRef) =>
      catalog.messages(language, namespace, customer)?.get(key)
    return createSnapshot({
      kind: 'service',
      defaultLanguage: languages.find(({ isDefault }) => isDefault)?.key ?? languages[0]?.key ?? '',
      languages: languages.map(({ key, name, isDefault }) => ({ key, name, isDefault, isPseudo: false })),
      namespaces: catalog.namespaces,
      customers,
      catalog,
      edited: catalog,
      conflicts: [],
      holds: [],
      deletions: [],
      waiting: [],
      stale: [],
      findings: [],
      broken: [],
      sync: { role: 'none', pushes: true },
      isEditable: true,
      chain: (language) => [language],
      messages: (language, namespace, customer) => catalog.messages(language, namespace, customer) ?? new Map(),
      serviceText: (ref) => ({ text: textOf(ref), isReviewed: textOf(ref) ? reviews.get(textId(ref)) : undefined }),
    })
  }
}

/** Writes within this time are reported as one change. */
const COALESCE_MS = 300

export async function createServicePages(baseUrl: string, personalToken: string, host: string, loopbackOnly: boolean) {
  const account = createClient({ baseUrl, personalToken, proxy: false })
  /** By API key, because the key may be rotated. */
  const opened = new Map<string, ServiceProject>()
  let timer: NodeJS.Timeout | undefined

  const find = async (token: string | undefined) => {
    const projects = await account.projects.list()
    return token === undefined ? projects[0] : projects.find(({ projectToken }) => projectToken === token)
  }

  const open = async (id: string | undefined): Promise<ServiceProject | undefined> => {
    const found = await find(id)
    if (!found) return undefined
    const { projectToken, name, apiKey } = found
    const project =
      opened.get(apiKey) ??
      new ServiceProject(
        projectToken,
        name,
        createClient({ baseUrl, apiKey, proxy: false }),
        async () => (await find(projectToken)) ?? found,
      )
    opened.set(apiKey, project)
    return project
  }

  const inspector = createInspector({
    projects: async () => (await account.projects.list()).map(({ projectToken: id, name }) => ({ id, name })),
    open,
    access: { token: personalToken, hosts: [host], network: !loopbackOnly },
  })
  return {
    handle: inspector.handle,
    /** Must be called after requests that may have written something. */
    changed(): void {
      timer ??= setTimeout(() => {
        timer = undefined
        for (const project of opened.values()) project.changed()
      }, COALESCE_MS)
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      inspector.close()
      for (const project of opened.values()) await project.close()
      await account.close()
    },
  }
}
