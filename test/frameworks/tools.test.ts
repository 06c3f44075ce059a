/** The lines of `docs/tools.md`: each tool installed, run with its lines and without them, and with edits. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { fetchPage } from '../helpers/frameworks.ts'
import type { RunningProcess } from '../helpers/processes.ts'
import { nodeBinary } from '../helpers/tarball.ts'
import { save, writeTree } from '../helpers/temp.ts'
import { freePort } from '../helpers/throwaway-server.ts'
import {
  blockOf,
  createToolProject,
  isAsked,
  METRO,
  TOOL_ERRORS,
  TOOL_LINES,
  TOOLS,
  type ToolLines,
  type ToolProject,
} from '../helpers/tools.ts'

const POLISH = 'locales/pl/common.json'
const TEXTS = { 'locales/en/common.json': { title: 'Title' }, [POLISH]: { title: 'Tytuł' } }
const SHOWN = 'Title Tytuł'
const WAIT = { timeout: 120_000, interval: 50 }

/** Tools that run tests, by the block of the page that they run. */
const TESTS: Readonly<Record<string, string>> = { 'node --test': 'main.test.js', Jest: 'main.jest.test.js' }
/** Tools whose projects are CommonJS. */
const COMMONJS = ['Jest', METRO]

function packageJson(tool: string, { files, script: [name, command] }: Pick<ToolLines, 'files' | 'script'>): object {
  const packages = TOOLS[tool]?.packages ?? []
  return {
    private: true,
    ...(COMMONJS.includes(tool) ? {} : { type: 'module' }),
    ...files,
    scripts: { [name]: command },
    devDependencies: Object.fromEntries(packages.map((each) => [each.replace(/(?<=.)@.*/, ''), '*'])),
  }
}

async function ended(running: RunningProcess): Promise<string> {
  const { code, output } = await running.ended
  expect(code, output).toBe(0)
  return output
}

/** What the app shows where the command has run. */
async function shown(tool: string, { root, start }: ToolProject, output: string): Promise<string> {
  if (tool === 'Parcel') return consoleOf(join(root, 'dist'))
  return tool === METRO ? ended(start('node', 'main.jsbundle.js')) : output
}

async function consoleOf(folder: string): Promise<string> {
  const server = await serveFolder(folder)
  onTestFinished(() => server.close())
  const { page } = await visit('about:blank')
  // Chromium asks for an icon, and says that there is none.
  const message = page.waitForEvent('console', (each) => each.type() === 'log')
  await page.goto(server.origin)
  return (await message).text()
}

test('each tool of the page is tested, and each has its messages', () => {
  const names = TOOL_LINES.map(({ name }) => name)
  expect(names).toEqual(Object.keys(TOOLS))
  expect([...TOOL_ERRORS.keys()]).toEqual(names)
})

const isHere = ({ name }: ToolLines) => {
  const { packages, programs } = TOOLS[name] ?? {}
  if (name === 'Parcel' && noChromium) return false
  return (packages ?? programs) === undefined || isAsked(name)
}

describe.each(TOOL_LINES.filter(isHere))('$name', ({ name: tool, files, printed, script }) => {
  const own = TESTS[tool]
  const [name, command] = script
  const run = ['npm', 'run', '--silent', name]
  let project: ToolProject
  beforeAll(async () => {
    project = await createToolProject(tool, TEXTS)
  })

  async function showsTexts(output: string): Promise<void> {
    if (own === undefined) expect(await shown(tool, project, output)).toContain(SHOWN)
    else expect(output).toMatch(tool === 'Jest' ? /Tests: +1 passed, 1 total/ : /^(?:#|ℹ) pass 1$/m)
  }

  test('the two lines', async () => {
    await writeTree(project.root, {
      'package.json': packageJson(tool, { files, script }),
      ...(own === undefined ? { 'main.js': blockOf('main.js') } : { 'main.test.js': blockOf(own) }),
    })
    await showsTexts(await ended(project.start(...run)))
  })

  test.skipIf(!tool.toLowerCase().startsWith('node') || !isAsked(tool))('on Node 24', async () => {
    await showsTexts(await ended(project.startWith([await nodeBinary(24)], ...run)))
  })

  test('without the lines', async () => {
    const { root, start } = project
    const [withoutNames, withoutFiles] = TOOL_ERRORS.get(tool) ?? []
    const onlyTool = command.replace('localization generate && ', '')
    expect(onlyTool).not.toBe(command)
    await rm(join(root, '.localization'), { recursive: true })
    await writeTree(root, { 'package.json': packageJson(tool, { files, script: [name, onlyTool] }) })
    const second = await start(...run).ended
    expect([second.code === 0, second.output]).toEqual([false, expect.stringMatching(withoutFiles as RegExp)])
    await writeTree(root, { 'package.json': packageJson(tool, { files: {}, script }) })
    const first = await start(...run).ended
    expect([first.code === 0, first.output]).toEqual([false, expect.stringMatching(withoutNames as RegExp)])
    // The command has named what to add.
    for (const line of printed) expect(first.output).toContain(line)
  })

  test.runIf(tool === 'Jest')('as ES modules', async () => {
    const { root, start } = project
    await writeTree(root, { 'package.json': { type: 'module', ...files } })
    await rm(join(root, 'babel.config.js'))
    await showsTexts(await ended(start('node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js')))
  })

  test.runIf(tool === 'Deno')('with types, and with deno.json in place of package.json', async () => {
    const { root, start } = project
    await writeTree(root, {
      'package.json': packageJson(tool, { files, script }),
      'types.ts': `
        import { load } from '#translations'
        import common from '#translations/en/common'
        export const texts: string[] = [common.title, (await load('pl', 'common')).title]
        // @ts-expect-error no such text
        export const none = common.none
      `,
    })
    await ended(start('localization', 'generate'))
    await ended(start('deno', 'check', 'types.ts'))
    await rm(join(root, '.localization'), { recursive: true })
    await rm(join(root, 'package.json'))
    await writeTree(root, {
      'deno.json': blockOf('deno.json'),
      'main.js': blockOf('main.js').replace('/en/common', '/en/common.js'),
    })
    expect(await ended(start('deno', 'task', 'start'))).toContain(SHOWN)
  })
})

/** Shows its texts, and how often its code ran: an app that keeps its state runs it once. */
const LIVE_APP = `
import { load, onUpdate } from '#translations'
import common from '#translations/en/common'

globalThis.runs = (globalThis.runs ?? 0) + 1
const show = async () => {
  const polish = await load('pl', 'common')
  globalThis.show([common.title, polish.title, globalThis.runs].join(' '))
}
onUpdate(show)
show()
`

/** The app's project, whose modules follow its texts. */
async function liveProject(tool: string, more: Readonly<Record<string, string>>): Promise<ToolProject> {
  const files = TOOL_LINES.find(({ name }) => name === tool)?.files
  const project = await createToolProject(tool, {
    ...TEXTS,
    'package.json': packageJson(tool, { files: files ?? {}, script: ['texts', 'localization generate --watch'] }),
    'main.js': LIVE_APP,
    ...more,
  })
  await project.start('npm', 'run', '--silent', 'texts').firstLine
  return project
}

async function editTwice(root: string, shownText: () => unknown): Promise<void> {
  await expect.poll(shownText, WAIT).toBe('Title Tytuł 1')
  await save(join(root, POLISH), { title: 'Raz' })
  await expect.poll(shownText, WAIT).toBe('Title Raz 1')
  await save(join(root, 'locales/en/common.json'), { title: 'Twice' })
  await expect.poll(shownText, WAIT).toBe('Twice Raz 1')
}

test.skipIf(noChromium || !isAsked('Parcel'))("an edit in the page of Parcel's dev server", async () => {
  const { root, start } = await liveProject('Parcel', {
    'index.html': `<!doctype html>
      <h1></h1><input>
      <script>globalThis.show = (text) => { document.querySelector('h1').textContent = text }</script>
      <script type="module" src="./main.js"></script>
    `,
  })
  const port = await freePort()
  const address = `http://localhost:${port}/`
  await fetchPage(address, start('parcel', 'index.html', '--port', String(port)))
  const { page, problems } = await visit(address)
  await page.fill('input', 'typed')
  await editTwice(root, () => page.textContent('h1'))
  expect(await page.inputValue('input')).toBe('typed')
  expect(problems).toEqual([])
})

/** Does what an app does with Metro's own client: it evaluates the bundle, then each update. */
const METRO_CLIENT = `
const vm = require('node:vm')
const HMRClient = require('metro-runtime/src/modules/HMRClient')
const address = process.argv[2]
globalThis.show = (text) => console.log('shows ' + text)
globalThis.globalEvalWithSourceUrl = (code, filename) => vm.runInThisContext(code, { filename })
fetch(address).then(async (response) => {
  const code = await response.text()
  if (!response.ok) throw new Error(code)
  globalThis.globalEvalWithSourceUrl(code, address)
  const client = new HMRClient(new URL('/hot', address.replace('http', 'ws')).href)
  for (const event of ['connection-error', 'error', 'close']) client.on(event, (error) => { throw error })
  client.on('bundle-registered', () => console.log('registered'))
  client.send(JSON.stringify({ type: 'register-entrypoints', entryPoints: [address] }))
  client.enable()
})
`

test.skipIf(!isAsked(METRO))("an edit in an app of Metro's dev server", async () => {
  const { root, start } = await liveProject(METRO, { 'client.cjs': METRO_CLIENT })
  const port = await freePort()
  const bundle = `http://localhost:${port}/main.bundle?platform=ios&dev=true&minify=false`
  await fetchPage(bundle, start('metro', 'serve', '--port', String(port)))
  const client = start('node', 'client.cjs', bundle)
  await expect.poll(client.output, WAIT).toContain('registered')
  const shownText = () =>
    client
      .stdout()
      .match(/^shows .*$/gm)
      ?.at(-1)
      ?.slice('shows '.length) ?? client.output()
  await editTwice(root, shownText)
  expect(client.stderr()).toBe('')
})
