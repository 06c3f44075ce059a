/**
 * Apps of frameworks under `test/frameworks/apps`, each in a folder of its own, built and run by the framework's own
 * commands.
 */
import { cp } from 'node:fs/promises'
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
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a package's script to its end. Rejects with all it wrote. */
export async function runScript(command: readonly string[], { root, env }: RunOptions): Promise<string> {
  return (await runToSuccess([process.execPath, ...command], { cwd: root, env: environment(env) })).output
}

/** Starts a script that goes on until the test is over; it and all that it started end then. */
export function startScript(command: readonly string[], { root, env }: RunOptions): RunningProcess {
  return startProcess([process.execPath, ...command], { cwd: root, env: environment(env) })
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

/** What every app's page shows. */
export const TEXTS = {
  en: { title: 'Teas of the house', pots: (count: number) => `Pots: ${count}` },
  pl: { title: 'Herbaty domu', pots: (count: number) => `Dzbanki: ${count}` },
} as const

export function editTexts(root: string, language: keyof typeof TEXTS, title: string): Promise<void> {
  const pots = TEXTS[language].pots(0).replace('0', '{count}')
  return writeTree(root, { [`locales/${language}/common.json`]: { title, pots } })
}
