/** Generated programs, built with `prune` and run: each gets the texts that it gets without. */
import '../helpers/seed.ts'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allBundlers } from '../helpers/bundlers.ts'
import { execute, PACKAGES, type Program } from '../helpers/program-libraries.ts'
import { NAMESPACES, programs, sourceOf } from '../helpers/programs.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** Has all texts of the build before the program starts. */
const start = ({ run }: Program) => `
import { load } from 'virtual:translations'
globalThis.run = ${JSON.stringify(run)}
globalThis.asked = []
globalThis.collect = async () => {
  globalThis.texts = { common: await load('en', 'common'), shop: await load('en', 'shop') }
  await import('./main.js').catch(() => {})
  await new Promise(setImmediate)
  return { asked, isPruned: !('never0' in texts.common && 'never0' in texts.shop) }
}
`

interface Page {
  readonly asked: readonly (readonly [namespace: string, key: string, text: string | null])[]
  readonly isPruned: boolean
}

/** One thread for all pages: to start a thread takes as long as to build a program. */
const thread = new Worker(
  `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', async (file) => {
  await import(file)
  parentPort.postMessage(JSON.stringify(await globalThis.collect()))
})`,
  { eval: true, execArgv: [] },
)

async function run(file: string): Promise<Page> {
  const answer = once(thread, 'message')
  thread.postMessage(pathToFileURL(file).href)
  return JSON.parse((await answer)[0])
}

const textOf = (namespace: string, key: string) => `${namespace} ${key}`

let parent: string
let count = 0

beforeAll(async () => {
  parent = await tempFolder()
  for (const [name, code] of Object.entries(PACKAGES))
    await writeTree(join(parent, 'node_modules', name), {
      'package.json': { name, version: '1.0.0', type: 'module', main: 'index.js' },
      'index.js': code,
    })
})

afterAll(() => thread.terminate())

describe.each([
  { name: 'vite', numRuns: repeats(30, 2000) },
  { name: 'webpack', numRuns: repeats(3, 200) },
  { name: 'esbuild', numRuns: repeats(3, 200) },
])('$name', ({ name, numRuns }) => {
  const bundler = allBundlers.find((each) => each.name === name)

  async function pageOf(program: Program, keys: Iterable<string>, prune: boolean): Promise<Page> {
    const root = join(parent, `program${count++}`)
    const texts = (namespace: string) => Object.fromEntries([...keys].map((key) => [key, textOf(namespace, key)]))
    const locales = NAMESPACES.map((namespace) => [`locales/en/${namespace}.json`, texts(namespace)])
    await writeTree(root, { 'start.js': start(program), ...program.files, ...Object.fromEntries(locales) })
    const output = await bundler?.build({
      root,
      entries: { start: 'start.js' },
      options: {
        configFile: false,
        defaultNamespace: 'common',
        defaultLanguage: 'en',
        prune: prune && { ignoreIn: ['start.js'] },
        report: false,
      },
      minify: false,
    })
    const page = await run(output?.entryFile('start') ?? '')
    await rm(root, { recursive: true })
    return page
  }

  it('leaves out no text that a program asks for', { timeout: 3_600_000 }, async () => {
    let pruned = 0
    let all = 0
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { asked, error } = await execute(program)
        // Bundlers differ in what a module has of another one before that one has run.
        fc.pre(error === undefined)
        const named = Object.values(program.files).flatMap((code) => code.match(/\bk\d+\b/g) ?? [])
        const never = Array.from({ length: 10 }, (_, at) => `never${at}`)
        const keys = new Set([...named, 'p1', 'p2', 'p3', 'p4', 'p5', ...asked.map(({ key }) => key), ...never])
        keys.delete('')
        const expected = asked.map(({ namespace, key }) => [namespace, key, key ? textOf(namespace, key) : null])
        const page = await pageOf(program, keys, true)
        expect(page.asked, sourceOf(program)).toEqual(expected)
        if (page.isPruned) pruned++
        // Without `prune`, every text is there. A sample is enough to see that bundlers do not change what programs do.
        if (all++ % 10 === 0)
          expect(await pageOf(program, keys, false), sourceOf(program)).toEqual({ asked: expected, isPruned: false })
      }),
      { numRuns },
    )
    // What no program asks for is not all kept.
    if (all >= 30) expect(pruned / all).toBeGreaterThan(0.03)
  })
})
