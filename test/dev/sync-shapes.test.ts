/** A dev server's sync with files that have a root, names with dots and empty names. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { LocalizationOptions } from '../../src/config/options.ts'
import { applyEdits } from '../../src/files/edit.ts'
import { FILE_ENDINGS } from '../../src/shared/file-pattern.ts'
import { PRINTERS } from '../helpers/file-formats.ts'
import { startProject } from '../helpers/project.ts'

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

test.each(FILE_ENDINGS)('%s: an edit is sent, a pull writes one line, and a wrong root stops both', async (ending) => {
  const texts = { 'Save. Now?': 'Save?', errors: { '': 'An error', 'auth/invalid.email': 'No address' } }
  const name = `locales/en${ending}`
  const text = PRINTERS[ending]({ about: { errors: 'outside' }, en: texts })
  const options: LocalizationOptions = {
    files: { pattern: `locales/{language}${ending}`, root: '{language}' },
    keySeparator: false,
    shape: 'nested',
    pull: { intervalMs: 100, write: true },
  }
  const { root, engine, index, files, ...service } = await startProject({
    files: { [name]: text },
    service: {
      texts: { en: { 'Save. Now?': 'Save?', 'errors␟': 'An error', 'errors␟auth/invalid.email': 'No address' } },
    },
    engine: { options },
  })
  const file = join(root, name)
  await engine.refresh()
  expect(engine.status()).toMatchObject({ outbox: [], conflicts: [], holds: [] })

  await service.setText('en', '', 'errors␟', 'It failed')
  const pulled = text.replace('An error', 'It failed')
  await untilAsync(async () => expect(await readFile(file, 'utf8')).toBe(pulled))
  await service.setText('de', '', 'errors␟more', 'Mehr')
  await untilAsync(async () =>
    expect(await readFile(join(root, `locales/de${ending}`), 'utf8')).toMatch(
      /^(?:\{\n {2})?"?de"?:(?: \{)?\n +"?errors"?:(?: \{)?\n +"?more"?: "?Mehr"?\n/,
    ),
  )
  const edited = pulled.replace('No address', 'No such address')
  await writeFile(file, edited.replace('outside', 'elsewhere'))
  await untilAsync(async () =>
    expect(await service.texts('en', '')).toEqual({
      'Save. Now?': 'Save?',
      'errors␟': 'It failed',
      'errors␟auth/invalid.email': 'No such address',
    }),
  )

  // The key of the object is another one: its texts are not those of the file.
  const wrong = edited.replace(/\ben\b/, 'fr').replace('It failed', 'Never sent')
  await writeFile(file, wrong)
  await engine.rescan({ everything: true })
  await until(() => expect(files().findings[0]).toMatchObject({ code: 'FILE_ROOT', place: { file: name } }))
  await service.setText('en', '', 'Save. Now?', 'Never written')
  await engine.refresh()
  await engine.push()
  const ref = { language: 'en', namespace: 'default', key: 'errors␟' }
  expect(files().text(ref)).toBe('It failed')
  const change = { ref, text: 'Never written', expected: 'It failed' }
  expect((await applyEdits({ index, seen: files() }, [change])).outcomes).toEqual(['broken'])
  expect(await readFile(file, 'utf8')).toBe(wrong)
  expect((await service.texts('en', ''))['errors␟']).toBe('It failed')

  // Mended, everything goes on.
  await writeFile(file, edited)
  await untilAsync(async () => expect(await readFile(file, 'utf8')).toBe(edited.replace('Save?', 'Never written')))
  expect((await index.placeOf(ref)).line).toBe(edited.split('\n').findIndex((line) => line.includes('It failed')) + 1)
})
