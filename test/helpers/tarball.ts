/** The package as npm would publish it, in projects of its own. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './bundlers.ts'

const run = promisify(execFile)
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']

/** Packs once for each state of `dist` and `docs`; whoever comes second finds the file. */
export async function packTarball(): Promise<string> {
  const hash = createHash('sha256')
  const folders = ['dist', 'docs'].map((name) =>
    readdir(join(repository, name), { recursive: true, withFileTypes: true }),
  )
  const files = (await Promise.all(folders)).flat().filter((entry) => entry.isFile())
  const inputs = files.map(({ parentPath, name }) => relative(repository, join(parentPath, name))).sort()
  for (const name of ['package.json', 'README.md', 'src/virtual.d.ts', 'src/virtual-strict.d.ts', ...inputs])
    hash.update(name).update(await readFile(join(repository, name)))
  const path = join(tmpdir(), `unplugin-localization-${hash.digest('hex').slice(0, 16)}.tgz`)
  if (await exists(path)) return path
  const folder = await mkdtemp(join(tmpdir(), 'localization-pack-'))
  try {
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository })
    const [name = ''] = await readdir(folder)
    await rename(join(folder, name), path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return path
}

export async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await orExplain(run('npm', ['install', ...QUIET, ...packages], { cwd: folder, maxBuffer: 64e6 }))
}

/** pnpm itself comes from the registry too, into a folder that stays. */
export async function pnpmInstall(folder: string): Promise<void> {
  const home = join(tmpdir(), 'unplugin-localization-pnpm')
  const command = join(home, 'node_modules/pnpm/bin/pnpm.cjs')
  if (!(await exists(command))) {
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'package.json'), '{"private":true}')
    await npmInstall(home, '--no-save', 'pnpm@10')
  }
  const args = [command, 'install', '--prefer-offline', '--ignore-scripts', '--store-dir', join(home, 'store')]
  await orExplain(run(process.execPath, args, { cwd: folder, maxBuffer: 64e6, env: { ...process.env, CI: 'true' } }))
}

/** Node of that major version; the registry has it as a package. The one that runs is not fetched. */
export async function nodeBinary(major: number): Promise<string> {
  if (Number.parseInt(process.versions.node, 10) === major) return process.execPath
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(tmpdir(), `unplugin-localization-node-${major}`)
  const binary = join(folder, 'node_modules', platform, 'bin/node')
  if (await exists(binary)) return binary
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  await npmInstall(folder, '--no-save', `${platform}@${major}`)
  return binary
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  /** Both streams. */
  readonly said: string
}

/** Runs to the end; the caller looks at the code. */
export function runNode(
  node: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env }, timeout: 300_000 })
    let stdout = ''
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      said += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, said }))
  })
}

async function orExplain(work: Promise<unknown>): Promise<void> {
  await work.catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`.slice(-3000), { cause: error })
  })
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
