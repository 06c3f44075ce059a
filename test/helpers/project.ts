/**
 * A project for a test: a temporary folder, and what the options ask for on top of it. All of it ends with the test; that
 * of a `beforeAll`, with the tests of the file.
 */
import { expect } from 'vitest'
import type { LocalServiceOptions } from '../../src/service.ts'
import { guardSecret, secretsIn } from './canary.ts'
import { type CliRun, runCli, startCli } from './cli.ts'
import type { DevServer, DevServerInput, DevServerKind } from './dev-servers.ts'
import type { InspectorOptions, TestInspector } from './inspector.ts'
import {
  createProject,
  listProjects,
  projectOf,
  shareService,
  startService,
  type TestProject,
  uploadForm,
} from './service.ts'
import type { EngineOptions, RunningEngine } from './sync.ts'
import { type Tree, tempFolder, writeTree } from './temp.ts'

type Messages = Readonly<Record<string, string>>
type TextsByFile = Readonly<Record<string, Messages>>

export interface ProjectOptions {
  /** Files of the folder, objects as JSON. */
  readonly files?: Tree
  /** A project of a local service in this process. */
  readonly service?: ServiceOptions | true
  /** A dev server with the built plugin, whose options name the service. */
  readonly plugin?: PluginSetup
  /** The sync engine alone, on the folder and the service. */
  readonly engine?: EngineOptions | true
  /** The inspector behind a plain server, with an engine of its own. */
  readonly inspector?: InspectorOptions | true
}

interface PluginSetup extends Omit<DevServerInput, 'root'> {
  readonly kind: DevServerKind
}

interface ServiceOptions extends LocalServiceOptions {
  /** Texts of the project, by `language/namespace`, `language` for the default namespace. */
  readonly texts?: TextsByFile
  /** Has no other project. Default: the tests of a file share a service where the other options allow it. */
  readonly alone?: boolean
}

type ServicePart = Awaited<ReturnType<typeof openService>>

type Part<Options, Name extends keyof ProjectOptions, Made> =
  Options extends Record<Name, object | true> ? Made : unknown

export type Project<Options extends ProjectOptions = { service: true }> = ReturnType<typeof folderPart> &
  Part<Options, 'service', ServicePart> &
  Part<Options, 'plugin', { readonly server: DevServer }> &
  Part<Options, 'engine', RunningEngine> &
  Part<Options, 'inspector', { readonly inspector: TestInspector }>

export async function startProject<const Options extends ProjectOptions>(options: Options): Promise<Project<Options>> {
  const { files = {}, service, plugin, engine, inspector } = options
  const root = await tempFolder()
  await writeTree(root, files)
  const opened = service && (await openService(service === true ? {} : service))
  const project = { ...folderPart(root, opened?.env), ...opened }
  const at = { root, service: opened }
  if (plugin) {
    const { kind, options: own, ...input } = plugin
    const named = opened && { service: { baseUrl: opened.baseUrl, apiKey: opened.apiKey } }
    Object.assign(project, { server: await kind.start({ ...input, root, options: { ...named, ...own } }) })
  }
  if (engine) {
    // Loads the source, where other tests have the built package.
    const { startEngine } = await import('./sync.ts')
    Object.assign(project, await startEngine({ ...at, ...(engine !== true && engine) }))
  }
  if (inspector) {
    const { startInspector } = await import('./inspector.ts')
    Object.assign(project, { inspector: await startInspector({ ...at, ...(inspector !== true && inspector) }) })
  }
  return project as Project<Options>
}

function folderPart(root: string, env: Readonly<Record<string, string>> = {}) {
  return {
    root,
    /** Runs the built command in the folder, and fails where it prints one of the secrets. */
    async run(...args: readonly string[]): Promise<CliRun> {
      const result = await runCli(args, { cwd: root, env })
      // The runtime has something to say that nobody asked for.
      if (/\(node:\d+\)/.test(result.stderr)) throw new Error(result.stderr)
      expect(secretsIn(result.output), `printed by: ${args.join(' ')}`).toEqual([])
      return result
    },
    /** Starts the built command in the folder, in a process of its own. */
    start: (...args: readonly string[]) => startCli(args, { cwd: root, env }),
  }
}

/** Options that disturb no other project of the same service. */
const SHAREABLE = ['customers', 'environments', 'features', 'languages']

/** Has the languages `en`, `pl` and `de` where the options name none. A project that the data folder has is used again. */
async function openService({ texts = {}, alone = false, ...given }: ServiceOptions) {
  const options = { languages: ['pl', 'de'], ...given }
  const isShared = !alone && Object.keys(options).every((name) => SHAREABLE.includes(name))
  const service = await (isShared ? shareService(options) : startService(options))
  guardSecret(service.personalToken)
  const [known] = options.dataDir === undefined ? [] : await listProjects(service)
  const project = known ? projectOf(service, known) : await createProject(service)
  guardSecret(project.apiKey)
  // A service that starts again may have been asked before this.
  const requests = isShared ? [] : service.requests.filter((line) => !line.endsWith(' /api/v2/projects'))
  service.hear((line) => requests.push(line))
  const verbs = createVerbs(project, requests)
  await verbs.fill(texts)
  /** What names the service to a command. */
  const env = {
    LOCALIZATION_BASE_URL: service.baseUrl,
    LOCALIZATION_CDN_URL: service.cdnUrl,
    LOCALIZATION_API_KEY: project.apiKey,
    LOCALIZATION_PERSONAL_TOKEN: service.personalToken,
  }
  return { ...service, ...project, env, requests, ...verbs }
}

/** What a translator or a script does, with plain HTTP: not through this package's own client. */
function createVerbs(project: TestProject, requests: readonly string[]) {
  /** Methods of the requests below. */
  const own: string[] = []
  const send: TestProject['api'] = (method, path, body) => {
    own.push(method)
    return project.api(method, path, body)
  }
  const call: TestProject['api'] = async (method, path, body) => {
    const answer = await send(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const query = async (parameters: Record<string, string>) =>
    (await call('GET', `/api/v2/translations?${new URLSearchParams(parameters)}`)).body.data as {
      readonly key: string
      readonly text: string
    }[]
  /** Imports one language and namespace; existing texts are replaced. */
  const importTexts = async (languageKey: string, namespace: string, texts: Messages, customerId?: string) => {
    const parameters = new URLSearchParams({
      uploadFormat: 'single-language-json',
      importOptions: 'REPLACE_TRANSLATION_IF_FOUND',
      languageKey,
      namespace,
      ...(customerId !== undefined && { customerId }),
    })
    await call('POST', `/api/v2/import?${parameters}`, uploadForm(texts))
  }
  return {
    importTexts,
    /** Imports texts by `language/namespace`; `language` alone is the default namespace. */
    async fill(texts: TextsByFile): Promise<void> {
      for (const [file, content] of Object.entries(texts)) {
        const [language = '', ...namespace] = file.split('/')
        await importTexts(language, namespace.join('/'), content)
      }
    },
    /** How many requests of that method came, those of these functions left out. */
    count: (method: string) =>
      requests.filter((line) => line.startsWith(`${method} `)).length - own.filter((each) => each === method).length,
    /** How many requests asked for an export. */
    exportRequests: () => requests.filter((line) => /^GET \/api\/v[34]\/export$/.test(line)).length,
    /** A text as the service has it. */
    readText: async (language: string, namespace: string, key: string): Promise<string | undefined> =>
      (await query({ language, namespace, key }))[0]?.text,
    /** At most 500 texts of a language and namespace. */
    texts: async (language: string, namespace = 'common'): Promise<Messages> =>
      Object.fromEntries((await query({ language, namespace })).map(({ key, text }) => [key, text])),
    /** Sets a text, as a translator would; makes the key where there is none. */
    async setText(language: string, namespace: string, key: string, text: string): Promise<void> {
      const change = { language, namespace, key, text }
      const answer = await send('PATCH', '/api/v2/translations', change)
      if (answer.status === 200) return
      if (answer.status === 404) await call('POST', '/api/v1/translation-keys', { key, namespace })
      await call('PATCH', '/api/v2/translations', change)
    },
    async deleteKey(namespace: string, key: string): Promise<void> {
      await call('DELETE', `/api/v1/translation-keys?${new URLSearchParams({ namespace, key })}`)
    },
    /** To `_latest`, then to `_production`. */
    async publish(): Promise<void> {
      for (const environment of ['_latest', '_production'])
        await call('POST', `/api/v2/environments/${environment}/publish`)
    },
  }
}
