/** Questions, moving bars, colours: the command line runs in this process with a fake terminal. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CliIo } from '../../../src/cli/io.ts'
import { runCli } from '../../../src/cli/main.ts'
import type { LocalService } from '../../../src/service.ts'
import { render } from '../../helpers/screen.ts'
import { createProject, startService } from '../../helpers/service.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

interface Terminal extends CliIo {
  readonly written: { out: string; err: string }
  readonly questions: string[]
}

/** A terminal where somebody gives these answers, one after the other. */
function createTerminal(cwd: string, env: Record<string, string>, answers: readonly string[] = []): Terminal {
  const written = { out: '', err: '' }
  const questions: string[] = []
  const left = [...answers]
  return {
    written,
    questions,
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
    cwd,
    env,
    outTty: true,
    errTty: true,
    canAsk: true,
    columns: 100,
    ask: async (question) => {
      questions.push(question)
      const answer = left.shift()
      if (answer === undefined) throw new Error(`nobody answers: ${question}`)
      return answer
    },
    stopSignal: new AbortController().signal,
    hide: () => {},
    protocol: () => {
      throw new Error('a terminal speaks no protocol')
    },
  }
}

let service: LocalService
beforeAll(async () => {
  service = await startService({ languages: ['pl'] })
})

async function startShop(files: Readonly<Record<string, string | object>>) {
  const project = await createProject(service)
  const folder = await tempFolder()
  await writeTree(folder, files)
  const env = { LOCALIZATION_BASE_URL: service.baseUrl, LOCALIZATION_API_KEY: project.apiKey }
  const run = async (args: readonly string[], answers?: readonly string[]) => {
    const terminal = createTerminal(folder, env, answers)
    return { code: await runCli(args, terminal), ...terminal.written, questions: terminal.questions }
  }
  const translate = (key: string, text: string) =>
    project.api('PATCH', '/api/v2/translations', { key, text, language: 'pl', namespace: 'a' })
  return { folder, run, translate, project }
}

test('bars move, and stay when they are full', async () => {
  const { run } = await startShop({ 'locales/pl/a.json': { x: '1', y: '2' } })
  const { code, err, out } = await run(['push'])
  expect(code).toBe(0)
  expect(err).toContain('\u001b[1A\u001b[J')
  const screen = render(err)
  expect(screen).toEqual(['sending 2 texts by v2 PATCH', `push  ${'█'.repeat(24)}  100%  2/2 texts`])
  expect(out).toContain('pushed 2 texts')
  expect((await run(['status'])).out).toContain('\u001b[32m100%\u001b[39m')
})

test('diff marks the changed words by colours', async () => {
  const { run, folder } = await startShop({ 'locales/pl/a.json': { x: 'Your cart' } })
  await run(['push'])
  await writeFile(join(folder, 'locales/pl/a.json'), '{"x":"Your basket"}')
  expect((await run(['diff'])).out).toBe(
    '\u001b[1m1 text changed here (push)\u001b[22m\npl/a "x"\n' +
      '\u001b[31m  - service "Your \u001b[7mcart\u001b[27m"\u001b[39m\n' +
      '\u001b[32m  + file    "Your \u001b[7mbasket\u001b[27m"\u001b[39m\n',
  )
})

test('no bar with --quiet', async () => {
  const { run } = await startShop({ 'locales/pl/a.json': { x: '1' } })
  expect((await run(['push', '--quiet'])).err).toBe('')
})

describe('resolve asks', () => {
  const files = { 'locales/pl/a.json': { a: '1', b: '1', c: '1', d: '1' } }
  async function conflicting() {
    const shop = await startShop(files)
    await shop.run(['push'])
    const path = join(shop.folder, 'locales/pl/a.json')
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('"1"', '"here"'))
    for (const key of ['a', 'b', 'c', 'd']) await shop.translate(key, 'there')
    const texts = async () => JSON.parse(await readFile(path, 'utf8')) as unknown
    return { ...shop, texts }
  }

  test('for each conflict, and again after an invalid answer', async () => {
    const { run, texts, project } = await conflicting()
    const { code, out, err, questions } = await run(['resolve'], ['?', 'o', 's', 'T'])
    expect(code).toBe(0)
    expect(questions).toHaveLength(4)
    expect(err).toContain('pl/a "a"')
    expect(out).toContain("resolved 3 conflicts: 1 with the file's text, 2 with the service's\n1 conflict left")
    expect(await texts()).toEqual({ a: 'here', b: 'here', c: 'there', d: 'there' })
    const { body } = await project.get('/api/v2/translations?language=pl&namespace=a&key=a')
    expect(body.data[0].text).toBe('here')
  })

  test('q stops asking and keeps what was decided', async () => {
    const { run, texts } = await conflicting()
    expect((await run(['resolve'], ['t', 'q'])).out).toContain('3 conflicts left')
    expect(await texts()).toEqual({ a: 'there', b: 'here', c: 'here', d: 'here' })
  })
})

describe('push --prune asks', () => {
  test.each([
    ['n', 'x'],
    ['', 'x'],
    ['y', undefined],
  ])('%j', async (answer, left) => {
    const { folder, run, project } = await startShop({ 'locales/pl/a.json': { keep: '1', too: '2', gone: 'x' } })
    await run(['push'])
    await writeTree(folder, { 'locales/pl/a.json': { keep: '1', too: '2' } })
    const { questions } = await run(['push', '--prune'], [answer])
    expect(questions).toEqual(['Delete 1 key on the service? [y/N] '])
    const { body } = await project.get('/api/v2/translations?language=pl&namespace=a&key=gone')
    expect(body.data[0]?.text).toBe(left)
  })
})

test('init asks for what it cannot find, and rejects invalid answers', async () => {
  const folder = await tempFolder()
  await writeTree(folder, { 'i18n/en.json': { a: 'A' }, 'i18n/pl.json': { a: 'A' }, 'vite.config.js': '' })
  const terminal = createTerminal(folder, {}, ['3', 'nonsense', 'http://127.0.0.1:1', '9', '2', '1'])
  expect(await runCli(['init', '--format', 'json', '--config-only'], terminal)).toBe(0)
  expect(terminal.written.err).toContain('translation files: i18n/{language}.json, 2 languages in 2 files')
  expect(terminal.written.err).toContain('expected an absolute address')
  expect(terminal.written.err).toContain('expected a number from 1 to 2')
  expect(JSON.parse(await readFile(join(folder, 'localization.config.json'), 'utf8'))).toEqual({
    service: { baseUrl: 'http://127.0.0.1:1' },
    files: 'i18n/{language}.json',
    defaultLanguage: 'pl',
  })
})
