import { expect, test } from 'vitest'
import { id, openLedger, quiet, ref, sizes } from '../../helpers/ledger.ts'
import { readJson } from '../../helpers/sync.ts'

const FILE = 'locales/en/common.json'
const part = { language: 'en', namespace: 'common' }

test.each([
  ['what it was', 'old', { a: 'old' }],
  ['something else', 'third', { a: 'third' }],
  ['nothing', undefined, {}],
])(
  'the service goes on to %s while its text is written into a file: that is its change, not an edit of the file',
  async (_what, theirs, next) => {
    const one = await openLedger({ a: 'old' }, { a: 'old' })
    one.read({ a: 'old' })
    one.read({ a: 'new' })
    const written = one.ledger.writable()
    expect(written).toEqual([{ ref: ref('a'), text: 'new' }])
    const writing = one.files.write(part, new Map([['a', 'new']]))
    one.read(next)
    expect(await writing).toBe('written')
    one.ledger.wrote(written)
    expect(await readJson(one.root, FILE)).toEqual({ a: 'new' })
    expect(one.base.get(id('a'))).toBe('new')
    expect(one.ledger.theirs(id('a'))).toBe(theirs)
    expect(sizes(one)).toEqual({ ...quiet, overlay: theirs === undefined ? 0 : 1 })
    expect(one.ledger.writable()).toEqual(theirs === undefined ? [] : [{ ref: ref('a'), text: theirs }])
  },
)

test('somebody saves the file right behind it: nothing says that the service text was seen', async () => {
  const one = await openLedger({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  one.read({ a: 'new' })
  const written = one.ledger.writable()
  await one.files.write(part, new Map([['a', 'new']]))
  await one.save({ a: 'mine' })
  one.ledger.wrote(written)
  expect(one.base.get(id('a'))).toBe('old')
  expect([...one.ledger.conflicts.values()]).toEqual([{ ref: ref('a'), base: 'old', ours: 'mine', theirs: 'new' }])
})
