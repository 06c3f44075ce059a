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

/** The questions about files, language and service get their proposals. */
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
      env: { PATH: process.env.PATH, HOME: root, NO_COLOR: '1' },
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
  return { ...(await run(['', '', '', ...answers])), read, names, again: () => run([]) }
}

const UNTOUCHED = ['.gitignore', 'build.js', 'index.html', 'node_modules', 'package.json', 'src', 'vite.config.js']

test('every proposal taken: the configuration, the plugin, a first text on the page, a build', async () => {
  const { code, out, err, questions, read, again } = await answering('', '', '')
  expect(code, out + err).toBe(0)
  expect(questions[0]).toBe(
    'Where will the translation files be? (several: a, b) [locales/{language}/{namespace}.json]:',
  )
  expect(questions.slice(3)).toEqual([
    'Write these changes? y: all, c: only the configuration, n: nothing [y]:',
    'Add these lines, so that the page shows "Welcome"? [Y/n]:',
    'Check the changes with npm run build? They are undone if it fails. [Y/n]:',
  ])
  expect(err).toContain("vite.config.js\n@@ -1,3 +1,6 @@\n+import localization from 'unplugin-localization/vite'\n+\n")
  expect(await read('vite.config.js')).toContain('plugins: [localization()],')
  expect(await read('src/main.js')).toContain("load('en', 'common').then(")
  expect(await read('.gitignore')).toBe('dist\n.localization/\n')
  expect(out).toContain('npm run build passes: dist/localization/en/common.json has the text "Welcome"')
  expect(out).toContain('Next: npm run dev\n  the page shows "Welcome"')
  // A second time there is nothing to ask.
  expect(await again()).toMatchObject({ code: 0, questions: [], out: expect.stringMatching(/^nothing to change\n/) })
})

test('"c" writes the configuration alone, and prints the two lines', async () => {
  const { code, out, names } = await answering('x', 'C')
  expect(code).toBe(0)
  expect(await names()).toEqual([...UNTOUCHED, 'localization.config.mjs'].sort())
  expect(out).toContain(
    "Two lines for the configuration of vite:\n\n  import localization from 'unplugin-localization/vite'",
  )
})

test('"n" writes nothing', async () => {
  const { code, out, read, names } = await answering('n')
  expect(code).toBe(0)
  expect(out).toMatch(/^wrote nothing\n/)
  expect(await names()).toEqual(UNTOUCHED)
  expect(await read('vite.config.js')).toBe(FILES['vite.config.js'])
})

test.each([0, 1, 2])('Ctrl-C after %d of the last three questions leaves nothing behind', async (given) => {
  const { code, err, read, names } = await answering(...Array<string>(given).fill('y'), CTRL_C)
  expect(code).toBe(130)
  expect(err).toContain('stopped before it was done')
  expect(await names()).toEqual(UNTOUCHED)
  for (const name of ['vite.config.js', 'src/main.js', '.gitignore'] as const)
    expect(await read(name)).toBe(FILES[name])
})

test('without the lines of the page and without the build, both are said', async () => {
  const { code, out, read } = await answering('y', 'n', 'n')
  expect(code).toBe(0)
  expect(await read('src/main.js')).toBe(FILES['src/main.js'])
  expect(out).toContain('not checked with a build: not built')
  expect(out).toContain('These lines in src/main.js show the first text:')
})
