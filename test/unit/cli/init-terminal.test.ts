/** `localization init` with a person at the terminal: what is asked, and what each answer writes. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CliIo } from '../../../src/cli/io.ts'
import { runCli } from '../../../src/cli/main.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

/** Pressed instead of an answer. */
const CTRL_C = Symbol('Ctrl-C')

const FILES = {
  'package.json': { type: 'module', scripts: { dev: 'vite', build: 'node build.js' }, devDependencies: { vite: '8' } },
  'node_modules/unplugin-localization/package.json': {},
  'vite.config.js': "export default {\n  base: '/',\n}\n",
  'index.html': '<script type="module" src="./src/main.js"></script>',
  'src/main.js': 'console.log(1)\n',
  // A bundler's part: the text in a file of its own.
  'build.js': `import { cpSync } from 'node:fs'
cpSync('locales/en/common.json', 'dist/localization/en/common.json')
`,
  '.gitignore': 'dist\n',
}

/** A terminal that cannot move its cursor: the questions are plain lines. */
async function answering(...answers: readonly (string | typeof CTRL_C)[]) {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const run = async (left: (string | typeof CTRL_C)[]) => {
    const written = { out: '', err: '' }
    const questions: string[] = []
    const stop = new AbortController()
    const io: CliIo = {
      out: (text) => {
        written.out += text
      },
      err: (text) => {
        written.err += text
      },
      cwd: root,
      env: { PATH: process.env.PATH, HOME: root, NO_COLOR: '1', TERM: 'dumb' },
      outTty: true,
      errTty: true,
      canAsk: true,
      columns: 100,
      ask: async (question) => {
        questions.push(question.trim())
        const answer = left.shift()
        if (answer === undefined) throw new Error(`nobody answers: ${question}`)
        if (answer === CTRL_C) stop.abort(new Error('Ctrl-C'))
        stop.signal.throwIfAborted()
        return answer as string
      },
      stopSignal: stop.signal,
      hide: () => {},
      protocol: () => {
        throw new Error('a terminal speaks no protocol')
      },
    }
    return { code: await runCli(['init'], io), ...written, questions }
  }
  const read = (name: string) => readFile(join(root, name), 'utf8')
  const names = async () => (await readdir(root)).filter((name) => name !== '.npm').sort()
  return { ...(await run([...answers])), read, names, again: () => run([]) }
}

const UNTOUCHED = ['.gitignore', 'build.js', 'index.html', 'node_modules', 'package.json', 'src', 'vite.config.js']

const CHANGES = 'Write these changes and check them with npm run build? They are undone if that fails. (1 to 3) [1]:'

test('every proposal taken: the configuration, the plugin, a first text on the page, a build', async () => {
  const { code, out, err, questions, read, again } = await answering('', '', '', '')
  expect(code, out + err).toBe(0)
  expect(questions).toEqual([
    'Where will the translation files be? [locales/{language}/{namespace}.json]:',
    'Where do the texts come from? (1 to 3) [1]:',
    'Languages, with the default language first [en]:',
    CHANGES,
  ])
  expect(err).toContain('  2) yes, but leave src/main.js unchanged\n')
  expect(err).toContain("vite.config.js\n@@ -1,3 +1,6 @@\n+import localization from 'unplugin-localization/vite'\n+\n")
  expect(await read('vite.config.js')).toContain('plugins: [localization()],')
  expect(await read('src/main.js')).toContain("load('en', 'common').then(")
  expect(await read('.gitignore')).toBe('dist\n.localization/\n')
  expect(out).toContain('npm run build passes: dist/localization/en/common.json has the text "Welcome"')
  expect(out).toContain('Next: npm run dev\n  the page shows "Welcome"')
  // A second time there is nothing to ask.
  const second = await again()
  expect(second).toMatchObject({
    code: 0,
    questions: [],
    out: expect.stringMatching(/^nothing to change: the project/),
  })
})

test('bad answers are refused with the reason, and asked again', async () => {
  const answers = ['locales/x.json', '', '4', '3', 'nowhere', 'https://texts.example.com', 'foo!!', '']
  const { code, err, questions, names } = await answering(...answers, '2')
  expect(code, err).toBe(0)
  expect(questions).toHaveLength(9)
  for (const reason of [
    'expected a number from 1 to 3',
    'expected an absolute URL such as',
    '"foo!!" is not the code of a language, such as en or pt-BR',
  ])
    expect(err).toContain(reason)
  expect(await names()).toEqual(UNTOUCHED)
})

test('several languages: the first has the text, the others have empty files', async () => {
  const { code, read } = await answering('', '2', 'en, de', '2')
  expect(code).toBe(0)
  expect(await read('localization.config.mjs')).toContain("service: { baseUrl: 'local' },")
  expect(await read('locales/en/common.json')).toBe('{\n  "title": "Welcome"\n}\n')
  expect(await read('locales/de/common.json')).toBe('{}\n')
  expect(await read('src/main.js')).toBe(FILES['src/main.js'])
})

test('"no" writes nothing', async () => {
  const { code, out, read, names } = await answering('', '', '', '3')
  expect(code).toBe(0)
  expect(out).toBe('wrote nothing\n')
  expect(await names()).toEqual(UNTOUCHED)
  expect(await read('vite.config.js')).toBe(FILES['vite.config.js'])
})

test.each([0, 1, 2, 3])('Ctrl-C after %d of the questions leaves nothing behind', async (given) => {
  const { code, err, read, names } = await answering(...Array<string>(given).fill(''), CTRL_C)
  expect(code).toBe(130)
  expect(err).toContain('stopped before it finished')
  expect(await names()).toEqual(UNTOUCHED)
  for (const name of ['vite.config.js', 'src/main.js', '.gitignore'] as const)
    expect(await read(name)).toBe(FILES[name])
})
