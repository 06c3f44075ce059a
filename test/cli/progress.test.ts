/** Progress on a terminal, and long lists in short. */
import { expect, test } from 'vitest'
import { startProject } from '../helpers/project.ts'
import { noTerminals, runOnTerminal } from '../helpers/pseudo-terminal.ts'
import { percentages, render } from '../helpers/screen.ts'

const namespaces = Array.from({ length: 12 }, (_, i) => `n${i}`)
const texts = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key${i}`, `Text ${i}`]))
const FILES = Object.fromEntries(
  ['en', 'pl'].flatMap((language) => namespaces.map((name) => [`locales/${language}/${name}.json`, texts])),
)

test('with many namespaces, one line for each language', async () => {
  const shop = await startProject({ files: FILES, service: true })
  const push = await shop.run('push')
  expect(push.stdout).toBe(
    'language  namespaces  added\nen                12    720\npl                12    720\npushed 1,440 texts by import\n',
  )
  expect(push.stderr.split('\n').filter((line) => line !== '').length).toBeLessThan(6)
  const files = Object.keys(FILES)
  expect((await shop.run('import', ...files, '--replace')).stdout).toBe(
    'language  files  keys\nen           12   720\npl           12   720\nimported 24 files\n',
  )
  expect((await shop.run('import', ...files.slice(0, 2), '--dry-run')).stdout).toContain('locales/en/n0.json')
})

if (noTerminals) console.warn(`test of progress on a terminal skipped: ${noTerminals}`)
test.skipIf(noTerminals)(
  'reading shows its progress in one line of the terminal, which is gone at the end',
  async () => {
    const slow = { method: 'GET', path: '/api/v2/translations', delayMs: 400 } as const
    const shop = await startProject({ files: FILES, service: { faults: [slow] } })
    await shop.run('push')
    const { code, stdout } = await runOnTerminal(['diff'], { cwd: shop.root, env: shop.env })
    expect(code).toBe(0)
    expect(stdout).toContain('reading the service')
    // On a loaded machine the reading of the files has a line, too.
    const shown = percentages(stdout, 'reading the service')
    expect(shown.length).toBeGreaterThan(0)
    expect(shown).toEqual(shown.toSorted((a, b) => a - b))
    expect(shown.at(-1)).toBeLessThanOrEqual(100)
    expect(render(stdout)).toEqual(['no difference'])
  },
)
