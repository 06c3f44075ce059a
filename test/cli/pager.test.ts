/** `localization diff` on a terminal: a pager, as git starts one. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli, startCliProject } from '../helpers/cli.ts'
import { noTerminals, runOnTerminal } from '../helpers/pseudo-terminal.ts'
import { writeTree } from '../helpers/temp.ts'

const PAGERS = {
  'keeps.mjs':
    "import { readFileSync, writeFileSync } from 'node:fs'\n" +
    "writeFileSync('paged.txt', readFileSync(0))\nwriteFileSync('less.txt', process.env.LESS)\n",
  // The person has seen enough.
  'quits.mjs': "import { closeSync, writeFileSync } from 'node:fs'\nwriteFileSync('paged.txt', '')\ncloseSync(0)\n",
}
const pager = (name: keyof typeof PAGERS) => ({ PAGER: `${process.execPath} ${name}` })

async function startShop(texts: object = { title: 'Your basket' }) {
  const shop = await startCliProject({ ...PAGERS, 'locales/en/shop.json': { title: 'Your cart' } })
  await shop.run('push')
  await writeTree(shop.folder, { 'locales/en/shop.json': texts })
  const { folder, env } = shop
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const onTerminal = async (args: readonly string[], more: Readonly<Record<string, string>>) => {
    const ended = await runOnTerminal(args, { cwd: folder, env: { ...env, ...more } })
    // A slow machine shows progress first, and clears it.
    return { ...ended, stdout: ended.stdout.split('\u001b[J').at(-1) }
  }
  return { folder, env, read, onTerminal }
}

if (noTerminals) console.warn(`tests of the pager on a terminal skipped: ${noTerminals}`)
describe.skipIf(noTerminals)('on a terminal', () => {
  test('the difference goes to the pager, with colours', async () => {
    const { onTerminal, read } = await startShop()
    const { code, stdout } = await onTerminal(['diff', '--exit-code'], pager('keeps.mjs'))
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(await read('paged.txt')).toBe(
      '\u001b[1m1 text changed here (push)\u001b[22m\nen/shop "title"\n' +
        '\u001b[31m  - service "Your \u001b[7mcart\u001b[27m"\u001b[39m\n' +
        '\u001b[32m  + file    "Your \u001b[7mbasket\u001b[27m"\u001b[39m\n',
    )
    expect(await read('less.txt')).toBe('FRX')
    await onTerminal(['diff'], { ...pager('keeps.mjs'), LESS: '-R' })
    expect(await read('less.txt')).toBe('-R')
  })

  test.each([
    ['--no-pager', ['--no-pager'], pager('keeps.mjs')],
    ['an empty PAGER', [], { PAGER: '' }],
    ['a pager that is not installed', [], { PAGER: 'a-pager-of-nobody --now' }],
    ['a terminal without abilities', ['--no-color'], { ...pager('keeps.mjs'), TERM: 'dumb' }],
  ])('no pager: %s', async (_what, args, env) => {
    const { onTerminal, read } = await startShop()
    const { code, stdout } = await onTerminal(['diff', ...args], env)
    expect(code).toBe(0)
    expect(stdout).toContain('1 text changed here (push)')
    expect(stdout).not.toMatch(/error|nobody/)
    await expect(read('paged.txt')).rejects.toThrow('ENOENT')
  })

  test('no pager for --json', async () => {
    const { onTerminal, read } = await startShop()
    const { stdout } = await onTerminal(['diff', '--json'], pager('keeps.mjs'))
    expect(JSON.parse(stdout ?? '').differences).toHaveLength(1)
    await expect(read('paged.txt')).rejects.toThrow('ENOENT')
  })

  test('to leave the pager early is no failure', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => [`key${i}`, `Text number ${i}, which nobody has sent yet`])
    const { onTerminal, read } = await startShop(Object.fromEntries(many))
    expect(await onTerminal(['diff'], pager('quits.mjs'))).toMatchObject({ code: 0, stdout: '' })
    expect(await read('paged.txt')).toBe('')
  })

  test('less ends by itself where everything fits on the screen', async () => {
    const { onTerminal } = await startShop()
    const { code, stdout } = await onTerminal(['diff'], {})
    expect(code).toBe(0)
    expect(stdout).toContain('\u001b[7mcart\u001b[27m')
  })
})

test('no pager where standard output is no terminal', async () => {
  const { folder, env, read } = await startShop()
  const { stdout } = await runCli(['diff'], { cwd: folder, env: { ...env, ...pager('keeps.mjs') } })
  expect(stdout).toBe(
    '1 text changed here (push)\nen/shop "title"\n  - service "Your [-cart-]"\n  + file    "Your {+basket+}"\n',
  )
  await expect(read('paged.txt')).rejects.toThrow('ENOENT')
})
