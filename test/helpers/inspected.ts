/** A project to inspect: a catalog on both sides, conflicts, held texts, a language without a file. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import type { PluginOptions } from '../../src/index.ts'
import type { DevServer, DevServerKind } from './dev-servers.ts'
import { type Project, startProject } from './project.ts'
import { type CatalogLayout, readRealCatalog } from './real-catalogs.ts'
import { writeTree } from './temp.ts'

export interface Inspected {
  readonly root: string
  readonly project: Project
  readonly server: DevServer
  /** Of the inspector's page, with a slash at the end. */
  readonly address: string
  readonly language: string
  readonly namespace: string
  /** Texts of both sides as they were at first, of `language` and `namespace`. */
  readonly texts: ReadonlyMap<string, string>
  fileOf(language: string): string
  textInFile(language: string, key: string): Promise<string | undefined>
  close(): Promise<void>
}

/** Keys of the texts that this helper makes; every catalog gets them. */
export const MADE = {
  conflictOurs: 'zz made conflict one',
  conflictTheirs: 'zz made conflict two',
  held: 'zz made held one',
  dropped: 'zz made held two',
  fileless: 'zz made fileless',
  edited: 'zz made edited',
  greeting: 'zz made greeting',
} as const

const MAIN = (namespace: string) => `
import { load, onUpdate } from 'virtual:translations'
async function render() {
  const messages = await load('en', ${JSON.stringify(namespace)})
  document.documentElement.lang = 'en'
  document.body.innerHTML = '<main><h1></h1><p id="greeting"></p><button></button><input><p id="foreign">Written by hand</p></main>'
  document.querySelector('h1').textContent = messages[${JSON.stringify(MADE.edited)}]
  document.querySelector('#greeting').textContent = messages[${JSON.stringify(MADE.greeting)}].replace('{name}', 'Ada')
  document.querySelector('button').title = messages[${JSON.stringify(MADE.edited)}]
  document.querySelector('button').textContent = 'button'
}
render()
onUpdate(render)
`

const SMALL = {
  'locales/en/common.json': { title: 'Title', save: 'Save' },
  'locales/de/common.json': { title: 'Titel' },
  'locales/pl/common.json': { title: 'Tytuł' },
}

export async function startInspected(
  kind: DevServerKind,
  catalog: CatalogLayout | undefined,
  options: PluginOptions = {},
): Promise<Inspected> {
  const project = await startProject({
    files: catalog ? {} : SMALL,
    service: { environments: ['staging'], languages: [] },
  })
  const { root } = project
  const keySeparator = catalog?.keySeparator ?? '.'
  if (catalog) await cp(catalog.folder, join(root, 'locales'), { recursive: true })
  const language = 'de'
  const namespace = await firstNamespace(join(root, 'locales/en'))
  const fileOf = (code: string) => join(root, 'locales', code, `${namespace}.json`)
  const made = {
    [MADE.conflictOurs]: 'agreed one',
    [MADE.conflictTheirs]: 'agreed two',
    [MADE.fileless]: 'Only English has it',
    [MADE.edited]: 'Edit me',
    [MADE.greeting]: 'Hello, {name}, well met',
  }
  await addTexts(fileOf('en'), made)
  await addTexts(fileOf(language), { ...made, [MADE.fileless]: undefined })
  // A language that has nothing in this namespace.
  await rm(fileOf('pl'), { force: true })

  const before = await readRealCatalog({
    name: '',
    folder: join(root, 'locales'),
    files: 'locales/{language}/{namespace}.json',
    keySeparator,
    without: [],
  })
  for (const [code, byNamespace] of before) {
    for (const [name, texts] of byNamespace) await project.importTexts(code, name, Object.fromEntries(texts))
  }
  await project.importTexts('pl', 'elsewhere', { one: 'jeden' })
  await addTexts(fileOf(language), {
    [MADE.conflictOurs]: 'of the file one',
    [MADE.conflictTheirs]: 'of the file two',
    [MADE.held]: 'held one',
    [MADE.dropped]: 'held two',
  })
  await writeTree(root, { 'main.js': MAIN(namespace), 'package.json': { type: 'module' } })
  const server = await kind.start({
    root,
    options: {
      service: { baseUrl: project.baseUrl, apiKey: project.apiKey },
      defaultLanguage: 'en',
      keySeparator,
      pull: { intervalMs: 300, write: false },
      ...options,
    },
  })
  return {
    root,
    project,
    server,
    address: `${server.address}__localization/`,
    language,
    namespace,
    texts: before.get(language)?.get(namespace) ?? new Map(),
    fileOf,
    async textInFile(code, key) {
      const content = await readFile(fileOf(code), 'utf8').catch(() => '{}')
      return (JSON.parse(content) as Record<string, string>)[key]
    },
    close: () => server.close(),
  }
}

/** The one with the most texts: it has something to scroll. */
async function firstNamespace(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const sizes = await Promise.all(files.map(async (name) => (await readFile(join(folder, name))).length))
  const largest = files[sizes.indexOf(Math.max(...sizes))] as string
  return largest.slice(0, -'.json'.length)
}

async function addTexts(path: string, texts: Readonly<Record<string, string | undefined>>): Promise<void> {
  const content = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as object
  await writeTree(dirname(path), {})
  await writeFile(path, `${JSON.stringify({ ...content, ...texts }, null, 4)}\n`)
}

/** Goes to a view of the inspector, or opens it there, and waits until it shows something. */
export async function openView(page: Page, { address }: Pick<Inspected, 'address'>, view: string): Promise<void> {
  await page.goto(`${address}#/${view}`)
  await page.locator('.live.on').waitFor()
}
