/**
 * Apps of frameworks under `test/frameworks/apps`, each in a folder of its own, built and run by the framework's own
 * commands.
 */
import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { repository } from './bundlers.ts'
import { installPackage } from './consumer.ts'
import { type RunningProcess, runToSuccess, startProcess } from './processes.ts'
import { npmInstall, packTarball } from './tarball.ts'
import { tempFolder, writeTree } from './temp.ts'

const APPS = join(repository, 'test/frameworks/apps')

/**
 * A copy of the app with this repository's packages beside it, or with those that npm installs, the packed package
 * among them. Resolves to its folder.
 */
export async function installApp(name: string, packages?: readonly string[]): Promise<string> {
  const root = await tempFolder()
  await cp(join(APPS, name), root, { recursive: true })
  if (packages === undefined) await installPackage(root)
  else await npmInstall(root, '--no-package-lock', ...packages, await packTarball())
  return root
}

export interface RunOptions {
  readonly root: string
  /** Default: the Node that runs the test. */
  readonly node?: string | undefined
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a package's script to its end. Rejects with all it wrote. */
export async function runScript(command: readonly string[], options: RunOptions): Promise<string> {
  const { root, node = process.execPath, env } = options
  return (await runToSuccess([node, ...command], { cwd: root, env: environment(env) })).output
}

/** Starts a script that goes on until the test is over; it and all that it started end then. */
export function startScript(command: readonly string[], options: RunOptions): RunningProcess {
  const { root, node = process.execPath, env } = options
  return startProcess([node, ...command], { cwd: root, env: environment(env) })
}

/** Of a user's terminal, not that of the test: frameworks behave differently in one. */
export function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|VITE_|NODE_ENV$|NODE_OPTIONS$|TEST$|DEV$|PROD$|MODE$|SSR$|BASE_URL$)/.test(name),
  )
  return {
    ...Object.fromEntries(own),
    ASTRO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    NO_COLOR: '1',
    ...more,
  }
}

/** The page as the server sends it, once it answers. */
export async function fetchPage(address: string, running: RunningProcess): Promise<string> {
  let body = ''
  await expect
    .poll(
      async () => {
        const response = await fetch(address).catch(() => undefined)
        body = (await response?.text()) ?? running.output()
        return response?.status
      },
      { timeout: 120_000, interval: 100 },
    )
    .toBe(200)
    .catch((error: Error) => {
      throw new Error(`${error.message}\n${body}\n${running.output()}`)
    })
  return body
}

/** Of a package as another one finds it: `major.minor`. Default: as the app finds it. */
export async function installedVersion(root: string, name: string, from?: string): Promise<string> {
  const folders = [...(from === undefined ? [] : [join(root, 'node_modules', from, 'node_modules')])]
  const places = [...folders, join(root, 'node_modules')].map((folder) => join(folder, name, 'package.json'))
  const place = places.find((path) => existsSync(path))
  if (place === undefined) throw new Error(`${name} is not installed in ${root}`)
  const { version } = JSON.parse(await readFile(place, 'utf8')) as { version: string }
  return version.split('.').slice(0, 2).join('.')
}

/** A page's problems. Next.js gives up a refresh when the next one begins: that is none. */
export function realProblems(problems: readonly string[]): string[] {
  return problems.filter((line) => !/_rsc=\S+ net::ERR_ABORTED$/.test(line))
}

/** What every app's page shows. */
export const TEXTS = {
  en: { title: 'Teas of the house', pots: (count: number) => `Pots: ${count}` },
  pl: { title: 'Herbaty domu', pots: (count: number) => `Dzbanki: ${count}` },
} as const

/** What the apps with a lazy namespace show when somebody asks for it. */
export const HELP = {
  en: 'Pour boiling water, wait three minutes.',
  pl: 'Zalej wrzątkiem, poczekaj trzy minuty.',
} as const

export function editTexts(root: string, language: keyof typeof TEXTS, title: string): Promise<void> {
  const pots = TEXTS[language].pots(0).replace('0', '{count}')
  return writeTree(root, { [`locales/${language}/common.json`]: { title, pots } })
}
