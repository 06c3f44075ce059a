/** `scripts/prose.mjs`, the part of `npm run lint` that checks words. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProcess } from '../../helpers/processes.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const SCRIPT = join(import.meta.dirname, '../../../scripts/prose.mjs')

async function findingsIn(name: string, text: string) {
  const folder = await tempFolder()
  await writeTree(folder, { [name]: text })
  const { code, stderr } = await runProcess([process.execPath, SCRIPT, join(folder, name)])
  return { code, findings: stderr.replaceAll(`${folder}/`, '').split('\n').slice(0, -2) }
}

test('a page: words to avoid, also across a line end; code and quoted names are skipped', async () => {
  const page = 'It starts by\nitself in Javascript.\n\nSee `by itself`.\n\n    nobody reads code\n'
  expect(await findingsIn('page.md', page)).toEqual({
    code: 1,
    findings: ['page.md:1 "by itself": write automatically, or alone', 'page.md:2 "Javascript": write JavaScript'],
  })
})

test('a source: its comments and its messages, not its names', async () => {
  const source = [
    '/** Waits until nobody reads. */',
    'export function nobody(meanwhile: string) {',
    "  const url = 'https://example.com/' // sent at once",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
    '  throw new Error(`${url} is no file`)',
    '}',
  ].join('\n')
  const { code, findings } = await findingsIn('source.ts', source)
  expect(code).toBe(1)
  expect(findings.map((line) => line.replace(/: write .*/, ''))).toEqual([
    'source.ts:1 "nobody"',
    'source.ts:3 "at once"',
    'source.ts:4 "is no file"',
  ])
})

test('plain words pass', async () => {
  expect(await findingsIn('page.md', 'The dev server sends the text immediately.\n')).toEqual({ code: 0, findings: [] })
})
