/** A project on a service, without files: edits change the service directly. */
import { type Client, createClient } from '../api/client.ts'
import { isApiError } from '../api/errors.ts'
import type { Project } from '../api/resources.ts'
import { createCatalog, type PartInput } from '../catalog/model.ts'
import { appNamespace, serviceNamespace } from '../catalog/names.ts'
import { type TextRef, textId, textRef } from '../catalog/text-id.ts'
import { type Activity, createActivity } from './activity.ts'
import { createInspector } from './handler.ts'
import type { InspectedProject } from './inspected-project.ts'
import { type ActionAnswer, actionAnswer, CHANGED, type Edit, refused } from './protocol.ts'
import { ServiceTasks } from './service-tasks.ts'
import { type KeyDetails, ServiceTexts } from './service-texts.ts'
import { createSnapshot, type Snapshot } from './snapshot.ts'

export interface ServiceProjectOptions {
  readonly id: string
  readonly name: string
  readonly client: Client
  readonly activity: Activity
  /** Reads the project's languages and customers. */
  readonly describe: () => Promise<Pick<Project, 'languages' | 'customers'>>
}

const NAMES = { defaultNamespace: 'default' }
const TASK_SETTINGS = { ...NAMES, languageMap: {}, environment: '_production', timeoutMs: 60_000 }

export class ServiceProject implements InspectedProject {
  readonly id: string
  readonly name: string
  readonly activity: Activity
  readonly tasks: ServiceTasks
  readonly service: ServiceTexts
  readonly #options: ServiceProjectOptions
  #current: Promise<Snapshot> | undefined

  constructor(options: ServiceProjectOptions) {
    const { id, name, client, activity } = options
    this.id = id
    this.name = name
    this.activity = activity
    this.#options = options
    this.service = new ServiceTexts(client, async () => TASK_SETTINGS)
    this.tasks = new ServiceTasks({
      client,
      activity,
      settings: async () => ({ ...TASK_SETTINGS, defaultLanguage: (await this.snapshot()).defaultLanguage }),
      onTranslated: () => this.changed(),
    })
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
    this.#current = undefined
    this.activity.notify('change')
  }

  async edit(edit: Edit): Promise<ActionAnswer> {
    const { ref, text, expected = '' } = edit
    if ((await this.#textNow(ref)) !== expected) return actionAnswer([edit], [CHANGED])
    const { client } = this.#options
    try {
      const seen = client.conditionalWrites ? { expected } : {}
      await client.translations.set({ ...serviceRef(ref), text }, { ...seen, retries: 0 })
    } catch (error) {
      if (!isApiError(error, 'API_PRECONDITION_FAILED')) throw error
      return actionAnswer([edit], [CHANGED])
    }
    this.activity.log('info', `changed ${ref.language}/${ref.namespace} ${JSON.stringify(ref.key)}`)
    this.changed()
    return actionAnswer([edit], [undefined])
  }

  async add(edits: readonly Edit[], details?: KeyDetails): Promise<ActionAnswer> {
    const [first] = edits
    if (!first) return actionAnswer([], [])
    if (!(await this.service.createKey(first.ref, details))) {
      return actionAnswer(
        edits,
        edits.map(() => CHANGED),
      )
    }
    const answers: ActionAnswer[] = []
    for (const edit of edits) answers.push(await this.edit(edit))
    return {
      done: answers.reduce((sum, { done }) => sum + done, 0),
      problems: answers.flatMap(({ problems }) => problems),
    }
  }

  /** There are no files from which to remove texts. */
  async remove() {
    return { done: 0, problems: [], left: [] }
  }

  reviewed(): void {
    this.changed()
  }

  async findText(): Promise<readonly []> {
    return []
  }

  async refresh(): Promise<void> {
    this.service.forget()
    this.changed()
  }

  async placeOf(): Promise<undefined> {}

  async usesOf(): Promise<undefined> {}

  async open(): Promise<ActionAnswer> {
    return refused('this service has no files to open')
  }

  async close(): Promise<void> {
    this.tasks.close()
    await this.#options.client.close()
  }

  async #textNow(ref: TextRef): Promise<string> {
    const { translations } = await this.#options.client.translations.query(serviceRef(ref))
    return translations.find((row) => (row.customerId ?? undefined) === ref.customer)?.text ?? ''
  }

  async #read(): Promise<Snapshot> {
    const { client, describe } = this.#options
    const { languages, ...project } = await describe()
    const customers = (project.customers ?? []).map(({ key }) => key)
    const texts: PartInput[] = []
    const reviews = new Map<string, boolean>()
    for (const customer of [undefined, ...customers]) {
      for await (const row of client.translations.queryAll({ customerId: customer })) {
        if ((row.customerId ?? undefined) !== customer) continue
        const part = { language: row.language, namespace: appNamespace(row.namespace, NAMES), customer }
        texts.push({ ...part, messages: [[row.key, row.text]] })
        reviews.set(textId(textRef(part, row.key)), row.reviewStatus === 'REVIEWED')
      }
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

function serviceRef({ language, namespace, key, customer }: TextRef) {
  return { language, namespace: serviceNamespace(namespace, NAMES), key, customerId: customer }
}

export interface ServicePagesOptions {
  readonly baseUrl: string
  readonly personalToken: string
  readonly host: string
  readonly loopbackOnly: boolean
}

/** Writes within this time are reported as one change. */
const COALESCE_MS = 300

export async function createServicePages({ baseUrl, personalToken, host, loopbackOnly }: ServicePagesOptions) {
  const account = createClient({ baseUrl, personalToken, proxy: false })
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
      opened.get(projectToken) ??
      new ServiceProject({
        id: projectToken,
        name,
        client: createClient({ baseUrl, apiKey, proxy: false }),
        activity: createActivity(Date.now),
        describe: async () => (await find(projectToken)) ?? found,
      })
    opened.set(projectToken, project)
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
