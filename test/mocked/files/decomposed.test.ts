/** HFS+ keeps names decomposed (NFD), and finds them under each spelling: simulated, because no Linux disk does. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { applyEdits } from '../../../src/files/edit.ts'
import { scanFiles } from '../../helpers/files.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { readJson, save, tempFolder } from '../../helpers/temp.ts'

/** All functions of the module, with paths as the disk keeps them. */
const decomposing = vi.hoisted(() => (real: object) => {
  const decomposed = (value: unknown) => (typeof value === 'string' ? value.normalize('NFD') : value)
  const wrapped: Record<string, unknown> = { ...real }
  for (const [name, member] of Object.entries(wrapped)) {
    // Of other functions, further strings are content; classes are called with "new".
    if (typeof member !== 'function' || /^[A-Z]/.test(name)) continue
    const paths = name.startsWith('rename') ? 2 : 1
    wrapped[name] = (...given: unknown[]) =>
      member(...given.map((value, at) => (at < paths ? decomposed(value) : value)))
  }
  return { ...wrapped, default: wrapped }
})
vi.mock('node:fs', async (importOriginal) => decomposing(await importOriginal<object>()))
vi.mock('node:fs/promises', async (importOriginal) => decomposing(await importOriginal<object>()))

const COMPOSED = 'caf\u00e9'
const DECOMPOSED = COMPOSED.normalize('NFD')

test('a namespace and a key in either form: one file, whose text is changed in place', async () => {
  const root = await tempFolder()
  await save(join(root, `locales/en/${DECOMPOSED}.json`), { [COMPOSED]: 'one', [DECOMPOSED]: 'two', plain: 'three' })
  const files = await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false }))
  const ref = (key: string) => ({ language: 'en', namespace: COMPOSED, key })
  expect([...files.seen.files.values()].map(({ file }) => file.namespace)).toEqual([COMPOSED])
  expect([COMPOSED, DECOMPOSED].map((key) => files.seen.text(ref(key)))).toEqual(['one', 'two'])
  const edits = [{ ref: ref(COMPOSED), text: 'ONE', expected: 'one' }]
  expect((await applyEdits(files, edits)).outcomes).toEqual(['written'])
  expect(await readJson(root, `locales/en/${DECOMPOSED}.json`)).toEqual({
    [COMPOSED]: 'ONE',
    [DECOMPOSED]: 'two',
    plain: 'three',
  })
  // An event may name the file in the other form.
  for (const [round, name] of [COMPOSED, DECOMPOSED].entries()) {
    await save(join(root, `locales/en/${DECOMPOSED}.json`), { [COMPOSED]: `saved ${round}` })
    await files.scan({ changed: [join(root, `locales/en/${name}.json`)], isHasty: true })
    expect(files.seen.text(ref(COMPOSED))).toBe(`saved ${round}`)
  }
  expect(readdirSync(join(root, 'locales/en'))).toHaveLength(1)
  expect(files.seen.findings).toEqual([])
})

test('a new file whose name exists in the other form is a collision, and nothing is written', async () => {
  const root = await tempFolder()
  await save(join(root, `locales/en/${DECOMPOSED}.json`), { a: 'A' })
  const files = await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false }))
  const edits = [{ ref: { language: 'en', namespace: DECOMPOSED, key: 'a' }, text: 'B', expected: undefined }]
  await expect(applyEdits(files, edits)).rejects.toMatchObject({ code: 'FILE_NAME_COLLISION' })
  expect(await readJson(root, `locales/en/${DECOMPOSED}.json`)).toEqual({ a: 'A' })
})
