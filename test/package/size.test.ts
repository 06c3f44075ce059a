/** What an entry costs whoever imports it, and what a page carries: the budgets are in size-budget.json. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'

test('no entry reads more, and no page carries more, than its budget', async () => {
  const script = join(repository, 'scripts/size.mjs')
  const run = await promisify(execFile)(process.execPath, [script, '--check', '--json']).catch(
    (error: { stderr: string }) => error,
  )
  expect(run.stderr).toBe('')
  const figures = JSON.parse((run as { stdout: string }).stdout) as {
    import: Readonly<Record<string, { files: number; kilobytes: number }>>
  }
  // The measure itself: a plugin reads its entry, and what all of them have in common.
  expect(figures.import.vite?.files).toBeGreaterThan(2)
  expect(figures.import.vite?.kilobytes).toBeGreaterThan(100)
})

test('a Vite build reads no file with the code for other bundlers, also later', async () => {
  const importedBy = new Map<string, readonly string[]>()
  const read = async (name: string): Promise<void> => {
    if (importedBy.has(name)) return
    importedBy.set(name, [])
    const code = await readFile(join(repository, 'dist', name), 'utf8')
    const imported = [...code.matchAll(/(?:from |import\()"\.\/([^"]+\.js)"/g)].map(([, file]) => file as string)
    importedBy.set(name, imported)
    await Promise.all(imported.map(read))
  }
  await read('vite.js')
  expect([...importedBy.keys()].some((name) => name.startsWith('magic-string'))).toBe(true)
  expect([...importedBy].filter(([, imported]) => imported.some((name) => name.startsWith('plugin-')))).toEqual([])
})

test('no dependency, however deep, runs a script when it is installed', async () => {
  interface Entry {
    readonly dev?: boolean
    /** Of an optional peer, which whoever installs this package brings along. */
    readonly devOptional?: boolean
    readonly hasInstallScript?: boolean
    readonly resolved?: string
  }
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Entry>>
  }
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  )
  expect(shipped.map(([path]) => path)).toContain('node_modules/undici')
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
