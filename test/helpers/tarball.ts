/** The package as npm would publish it, in projects of its own. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { repository } from './bundlers.ts'
import { bareEnvironment, type Ended, runProcess, runToSuccess } from './processes.ts'
import { tempFolder, writeTree } from './temp.ts'

/** Packs once for each state of its files; whoever comes second finds the file. */
export async function packTarball(): Promise<string> {
  const hash = createHash('sha256')
  const folders = ['dist', 'docs', 'skills'].map((name) =>
    readdir(join(repository, name), { recursive: true, withFileTypes: true }),
  )
  const files = (await Promise.all(folders)).flat().filter((entry) => entry.isFile())
  const inputs = files.map(({ parentPath, name }) => relative(repository, join(parentPath, name))).sort()
  for (const name of [
    'package.json',
    'README.md',
    'llms.txt',
    'src/virtual.d.ts',
    'src/virtual-strict.d.ts',
    ...inputs,
  ])
    hash.update(name).update(await readFile(join(repository, name)))
  const path = join(tmpdir(), `unplugin-localization-${hash.digest('hex').slice(0, 16)}.tgz`)
  if (existsSync(path)) return path
  const folder = await tempFolder()
  await runToSuccess(['npm', 'pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository })
  const [name = ''] = await readdir(folder)
  await rename(join(folder, name), path)
  return path
}

export async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await runToSuccess(['npm', 'install', ...quiet, ...packages], { cwd: folder })
}

/** A package of the npm registry, in a folder that stays for the next run. Resolves to the package's own folder. */
export async function fetchPackage(specifier: string): Promise<string> {
  const name = specifier.replace(/(?<=.)@.*$/, '')
  const home = join(tmpdir(), `unplugin-localization-tool-${specifier.replaceAll(/[^\w.-]+/g, '-')}`)
  const folder = join(home, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  // Installed beside it: another process must not start a binary that is still written.
  const installing = await mkdtemp(`${home}-`)
  await writeTree(installing, { 'package.json': { private: true } })
  await npmInstall(installing, '--no-save', specifier)
  if (!existsSync(join(folder, 'package.json'))) await rm(home, { recursive: true, force: true })
  await rename(installing, home).catch(() => rm(installing, { recursive: true, force: true }))
  return folder
}

export async function pnpmInstall(folder: string): Promise<void> {
  const command = [process.execPath, join(await fetchPackage('pnpm@10'), 'bin/pnpm.cjs'), 'install']
  const store = ['--prefer-offline', '--store-dir', join(tmpdir(), 'unplugin-localization-pnpm-store')]
  await runToSuccess([...command, '--ignore-scripts', ...store], { cwd: folder, env: { ...process.env, CI: 'true' } })
}

/** Node of that major version; the registry has it as a package. The one that runs is not fetched. */
export async function nodeBinary(major: number): Promise<string> {
  if (Number.parseInt(process.versions.node, 10) === major) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  return join(await fetchPackage(`node-${platform}-${process.arch}@${major}`), 'bin/node')
}

/** Runs to the end; the caller looks at the code. */
export function runNode(
  node: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  return runProcess([node, ...args], { cwd, env: bareEnvironment(cwd, env) })
}
