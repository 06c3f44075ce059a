/** Questions, moving bars, colours: the command line runs in this process with a fake terminal. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { conflictFile } from '../../../src/cli/edit-conflict.ts'
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

/** What happens before an answer. */
type Answer = string | (() => Promise<string>)

/** A terminal where somebody gives these answers, one after the other. */
function createTerminal(
  cwd: string,
  env: Record<string, string>,
  answers: readonly Answer[] = [],
  stopSignal: AbortSignal = new AbortController().signal,
): Terminal {
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
      return typeof answer === 'string' ? answer : answer()
    },
    stopSignal,
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
  const run = async (
    args: readonly string[],
    answers?: readonly Answer[],
    more: Readonly<Record<string, string>> = {},
    stop = new AbortController(),
  ) => {
    const terminal = createTerminal(folder, { ...env, ...more }, answers, stop.signal)
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
    '\u001b[1m1 text changed in the file (push)\u001b[22m\npl/a "x"\n' +
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
    const { code, out, err, questions } = await run(['resolve'], ['?', 'f', 'k', 'S'])
    expect(code).toBe(0)
    expect(questions).toHaveLength(4)
    for (const question of questions) expect(question.length).toBeLessThanOrEqual(60)
    expect(err).toContain('answer with one of the letters in brackets\n')
    for (const at of [1, 2, 3]) expect(err).toContain(`(${at}/4) pl/a "${'abc'[at - 1]}"\n`)
    expect(out).toContain("resolved 3 conflicts: 1 with the file's text, 2 with the service's\n1 conflict left")
    expect(await texts()).toEqual({ a: 'here', b: 'here', c: 'there', d: 'there' })
    const { body } = await project.get('/api/v2/translations?language=pl&namespace=a&key=a')
    expect(body.data[0].text).toBe('here')
  })

  test('q stops asking and keeps what was decided', async () => {
    const { run, texts } = await conflicting()
    expect((await run(['resolve'], ['s', 'q'])).out).toContain('3 conflicts left')
    expect(await texts()).toEqual({ a: 'there', b: 'here', c: 'here', d: 'here' })
  })
})

describe('resolve edits', () => {
  /** An editor that does these edits, one after the other. It appends what it was given to `seen.json`. */
  async function startEditor(...edits: readonly (string | null)[]) {
    const folder = await tempFolder()
    const seen = join(folder, 'seen.json')
    await writeTree(folder, { 'edits.json': edits, 'seen.json': [] })
    await writeFile(
      join(folder, 'editor.mjs'),
      `import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
      const [edits, seen, other] = ['edits.json', 'seen.json', 'other.json'].map((name) => new URL(name, import.meta.url))
      if (existsSync(other)) renameSync(other, JSON.parse(readFileSync(other, 'utf8')).path)
      const all = JSON.parse(readFileSync(seen, 'utf8'))
      const given = readFileSync(process.argv.at(-1), 'utf8')
      writeFileSync(seen, JSON.stringify([...all, given]))
      const edit = JSON.parse(readFileSync(edits, 'utf8'))[all.length]
      if (edit === null) process.exit(3)
      if (edit === 'WAIT') setInterval(() => {}, 1000)
      else writeFileSync(process.argv.at(-1), given.replace(/^[^]*?(?=# -+ >8)/, edit))`,
    )
    const command = `'${process.execPath}' '${join(folder, 'editor.mjs')}' --some-option`
    return { folder, env: { EDITOR: command }, given: async () => JSON.parse(await readFile(seen, 'utf8')) as string[] }
  }
  async function conflicting(file = 'here {name}') {
    const shop = await startShop({
      'locales/en/a.json': { a: 'Hello {name}' },
      'locales/pl/a.json': { a: 'old' },
    })
    await shop.run(['push'])
    const path = join(shop.folder, 'locales/pl/a.json')
    await writeFile(path, JSON.stringify({ a: file }))
    await shop.translate('a', 'there {name}')
    const texts = async () => {
      const { body } = await shop.project.get('/api/v2/translations?language=pl&namespace=a&key=a')
      return [(JSON.parse(await readFile(path, 'utf8')) as { a: string }).a, body.data[0].text as string]
    }
    return { ...shop, texts }
  }

  test('both texts as one, which both sides get', async () => {
    const { run, texts } = await conflicting()
    const { env, given } = await startEditor('both\n  {name} \n')
    // Such a terminal cannot show an editor that draws on the whole screen.
    const dumb = { TERM: 'dumb', VISUAL: 'no-such-editor-here' }
    const { code, out } = await run(['resolve', '--json'], ['e'], { ...env, ...dumb })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ resolved: [{ key: 'a', side: 'edited' }], left: [], failures: [] })
    expect(await texts()).toEqual(['both\n  {name} ', 'both\n  {name} '])
    expect(await given()).toEqual([
      expect.stringMatching(/^<{7} file\nhere \{name\}\n={7}\nthere \{name\}\n>{7} service\n# -+ >8/),
    ])
    expect((await given())[0]).toContain('# base: "old"')
    expect((await run(['diff'])).out).toBe('no difference\n')
  })

  test.each([
    ['an empty file', '\n \n', 'the text is empty'],
    ['a conflict marker', 'x {name}\n=======\ny\n', 'the line "=======" is still there'],
    ['a text that is too long', `${'x'.repeat(70_000)}\n`, '70000 characters, 65535 are allowed'],
    ['an editor that fails', null, 'exited with code 3'],
    ['an unchanged file', '<<<<<<< file\nhere {name}\n=======\nthere {name}\n>>>>>>> service\n', 'not changed'],
  ])('%s decides nothing, and the user is asked again', async (_, edit, reason) => {
    const { run, texts } = await conflicting()
    const { env } = await startEditor(edit)
    const { err, out, questions } = await run(['resolve'], ['e', 'q'], env)
    expect(err).toContain(`nothing decided: `)
    expect(err).toContain(reason)
    expect(questions).toHaveLength(2)
    expect(out).toBe('nothing decided\n')
    expect(await texts()).toEqual(['here {name}', 'there {name}'])
  })

  test('an editor that does not exist is named, with what to set', async () => {
    const { run, texts } = await conflicting()
    const { err } = await run(['resolve'], ['e', 'q'], { VISUAL: 'no-such-editor-here' })
    expect(err).toMatch(/the editor "no-such-editor-here" exited with code 127. Set the environment variable EDITOR/)
    expect(await texts()).toEqual(['here {name}', 'there {name}'])
  })

  test('an error is shown, and the text is taken only if the user says so; until then it is kept', async () => {
    const { run, texts } = await conflicting()
    const { env, given } = await startEditor('without the name\n', 'still without\n')
    const { err, questions } = await run(['resolve'], ['e', 'n', 'e', 'y'], env)
    expect(err).toContain('lacks {name}')
    expect(questions[1]).toBe('Use this text anyway? [y/N] ')
    expect((await given())[1]).toMatch(/^without the name\n# -+ >8/)
    expect(await texts()).toEqual(['still without', 'still without'])
  })

  test('Ctrl-C in the editor ends it, and nothing is written, not even earlier decisions', async () => {
    const { run, texts } = await conflicting()
    const { env, given } = await startEditor('WAIT')
    const stop = new AbortController()
    const running = run(['resolve'], ['e'], env, stop)
    await expect.poll(given, { timeout: 60_000 }).toHaveLength(1)
    stop.abort(new Error('stopped'))
    expect((await running).code).toBe(130)
    expect(await texts()).toEqual(['here {name}', 'there {name}'])
  })

  test('a change in the meantime overwrites nothing, and the edit is kept for the next answer', async () => {
    const { run, texts, folder } = await conflicting()
    const { env, given, folder: own } = await startEditor('mine {name}\n', 'mine, again {name}\n')
    // Another program saves the file while the editor is open.
    const path = join(folder, 'locales/pl/a.json')
    await writeTree(own, { 'other.json': { a: 'elsewhere', path } })
    const { code, err } = await run(['resolve'], ['e', 'e'], env)
    expect(code).toBe(0)
    expect(err).toContain('1 conflict changed in the meantime: nothing was overwritten')
    const [, second] = await given()
    expect(second).toMatch(/^mine \{name\}\n# -+ >8/)
    expect(second).toContain('# file: "elsewhere"')
    expect(await texts()).toEqual(['mine, again {name}', 'mine, again {name}'])
  })
})

describe('the file of a conflict', () => {
  const ref = { language: 'pl', namespace: 'a', key: 'k'.repeat(300) }
  test('has markers that are no line of the texts, and gives back what is between', () => {
    const ours = `one\n=======\n<<<<<<<<< file\n${'x'.repeat(5_000)}`
    const { content, read } = conflictFile({ ref, base: undefined, ours, theirs: undefined })
    expect(content).toMatch(/^<{10} file\n/)
    expect(content).toContain('\n# service has no text\n')
    expect(read(content.replace(/^<{10} file\n/, '').replace(/={10}\n>{10} service\n/, ''))).toEqual({ text: ours })
  })
  test('may be saved with a byte order mark, with returns, and without its last lines', () => {
    const { content, read } = conflictFile({ ref, base: 'b', ours: 'o', theirs: 't' })
    const rest = content.slice(content.indexOf('# ---'))
    expect(read(`\uFEFFone\r\ntwo\r\n${rest}`)).toEqual({ text: 'one\ntwo' })
    expect(read('one\ntwo\n')).toEqual({ text: 'one\ntwo' })
    expect(read('# a text\n')).toEqual({ text: '# a text' })
  })
  test('keeps the returns that a text has', () => {
    const { read } = conflictFile({ ref, base: 'b', ours: 'o\r\np', theirs: 't' })
    expect(read('one\r\ntwo\n')).toEqual({ text: 'one\r\ntwo' })
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

  test('and keeps a key that came back into a file during the question', async () => {
    const before = { 'locales/pl/a.json': { keep: '1', too: '2', gone: 'x', back: 'y' } }
    const { folder, run, project } = await startShop(before)
    await run(['push'])
    await writeTree(folder, { 'locales/pl/a.json': { keep: '1', too: '2' } })
    const restore = async () => {
      await writeTree(folder, { 'locales/pl/a.json': { keep: '1', too: '2', back: 'y' } })
      return 'y'
    }
    const { err, out } = await run(['push', '--prune', '--json'], [restore])
    expect(err).toContain('not deleted: a "back" may be in a file again')
    expect(JSON.parse(out)).toMatchObject({ pruned: [{ namespace: 'a', key: 'gone' }], deletedHere: 0 })
    const { body } = await project.get('/api/v2/translations?language=pl&namespace=a')
    expect(body.data.map(({ key }: { key: string }) => key).sort()).toEqual(['back', 'keep', 'too'])
  })
})

test('keys remove keeps a key that was changed during the question', async () => {
  const { run, translate, project } = await startShop({ 'locales/pl/a.json': { old: '1', older: '2', other: '3' } })
  await run(['push'])
  const translated = async () => {
    await translate('old', 'new')
    return 'y'
  }
  const { code, err, out, questions } = await run(['keys', 'remove', 'old*', '--namespace', 'a'], [translated])
  expect(questions).toEqual(['Delete 2 keys with their texts in 1 language? [y/N] '])
  expect([code, out]).toEqual([1, 'deleted 1 key\n'])
  expect(err).toContain('not deleted: a "old" was changed on the service in the meantime')
  const { body } = await project.get('/api/v2/translations?language=pl&namespace=a')
  expect(body.data.map(({ key, text }: Record<string, string>) => `${key}=${text}`).sort()).toEqual([
    'old=new',
    'other=3',
  ])
})

describe('check --remove asks', () => {
  const uses = (key: string) => `import a from 'virtual:translations/en/a'\na.${key}\n`
  test.each([
    ['removes the key', '', {}, 0, { x: '1' }],
    [
      'keeps a key that a source saved in the meantime uses',
      'may use a "soon" now',
      { 'src/new.js': uses('soon') },
      1,
      undefined,
    ],
  ])('%s', async (_, said, saved, exitCode, left) => {
    const texts = { x: '1', soon: '2' }
    const { folder, run } = await startShop({ 'locales/en/a.json': texts, 'src/app.js': uses('x') })
    const save = async () => {
      await writeTree(folder, saved)
      return 'y'
    }
    const { code, err, out, questions } = await run(['check', '--remove'], [save])
    expect([code, questions], err + out).toEqual([exitCode, ['Remove 1 key from the files? [y/N] ']])
    expect(err).toContain(said)
    expect(JSON.parse(await readFile(join(folder, 'locales/en/a.json'), 'utf8'))).toEqual(left ?? texts)
  })
})

test('init asks for what it cannot find, and rejects invalid answers', async () => {
  const folder = await tempFolder()
  await writeTree(folder, { 'i18n/en.json': { a: 'A' }, 'i18n/pl.json': { a: 'A' }, 'vite.config.js': '' })
  const terminal = createTerminal(folder, {}, ['3', 'nonsense', 'http://127.0.0.1:1', '9', '2', '1'])
  expect(await runCli(['init', '--format', 'json', '--config-only'], terminal)).toBe(0)
  expect(terminal.written.err).toContain('translation files: i18n/{language}.json, 2 languages in 2 files')
  expect(terminal.written.err).toContain('expected an absolute URL')
  expect(terminal.written.err).toContain('expected a number from 1 to 2')
  expect(JSON.parse(await readFile(join(folder, 'localization.config.json'), 'utf8'))).toEqual({
    service: { baseUrl: 'http://127.0.0.1:1' },
    files: 'i18n/{language}.json',
    defaultLanguage: 'pl',
  })
})
