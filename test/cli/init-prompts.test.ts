/** `localization init` on a terminal that moves its cursor: the keys of a person, and what the files are afterwards. */
import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { CLI } from '../helpers/cli.ts'
import { bareEnvironment } from '../helpers/processes.ts'
import { noTerminals } from '../helpers/pseudo-terminal.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'package.json': { type: 'module', devDependencies: { vite: '8' } },
  'index.html': '<script type="module" src="./src/main.js"></script>',
  'src/main.js': 'console.log(1)\n',
}
const ENTER = '\r'
const DOWN = '\u001b[B'
const CTRL_C = '\u0003'
const CTRL_U = '\u0015'

/** Each step waits for new output that includes a text, and then types. */
async function type(columns: number, steps: readonly (readonly [seen: string, keys: string])[]) {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const line = `stty cols ${columns} rows 40; exec '${process.execPath}' '${CLI}' init`
  const env = bareEnvironment(root, { TERM: 'xterm', SHELL: '/bin/sh', NO_COLOR: '1' })
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { cwd: root, env })
  let output = ''
  let from = 0
  const left = [...steps]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    const [next] = left
    // Lines are wrapped, and the bar is at their start.
    if (
      !next ||
      !stripVTControlCharacters(output.slice(from))
        .replace(/[\s│]+/g, ' ')
        .includes(next[0])
    )
      return
    left.shift()
    from = output.length
    child.stdin.write(next[1])
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  const names = (await readdir(root)).filter((name) => name !== '.npm').sort()
  const read = (name: string) => readFile(join(root, name), 'utf8')
  return { code, output: stripVTControlCharacters(output), left, names, read }
}

if (noTerminals) console.warn(`test of prompts skipped: ${noTerminals}`)

test.skipIf(noTerminals)('answers, a refused one, and a choice write the files', async () => {
  const { code, output, left, names, read } = await type(60, [
    ['Where will the translation files be?', 'x.json\r'],
    ['{language} is missing', `${CTRL_U}i18n/{language}.json${ENTER}`],
    ['from a service at a URL', DOWN + ENTER],
    ['Languages', `foo!!${ENTER}`],
    ['"foo!!" is not the code of a language', `${CTRL_U}de${ENTER}`],
    ['no, write nothing', DOWN + ENTER],
  ])
  expect([left, code], output).toEqual([[], 0])
  expect(names).toEqual(['i18n', 'index.html', 'localization.config.mjs', 'package.json', 'src', 'vite.config.js'])
  expect(await read('localization.config.mjs')).toContain(
    "  service: { baseUrl: 'local' },\n  files: 'i18n/{language}.json',\n  defaultLanguage: 'de',\n",
  )
  expect(await read('src/main.js')).toBe(FILES['src/main.js'])
  expect(output).toContain('not checked with a build: unplugin-localization is not installed here')
})

test.skipIf(noTerminals).each([0, 1, 2, 3])('Ctrl-C at prompt %d leaves nothing behind', async (at) => {
  const prompts = ['Where will the translation files be?', 'from a service', 'Languages', 'no, write nothing']
  const steps = prompts.slice(0, at + 1).map((seen, place) => [seen, place === at ? CTRL_C : ENTER] as const)
  const { code, output, left, names, read } = await type(80, steps)
  expect([left, code], output).toEqual([[], 130])
  expect(output).toContain('stopped before it finished')
  expect(names).toEqual(['index.html', 'package.json', 'src'])
  expect(await read('src/main.js')).toBe(FILES['src/main.js'])
})
