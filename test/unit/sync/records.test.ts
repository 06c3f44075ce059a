import { expect, test } from 'vitest'
import { id, openRecords, quiet, ref, sizes } from '../../helpers/records.ts'
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
    const one = await openRecords({ a: 'old' }, { a: 'old' })
    one.read({ a: 'old' })
    one.read({ a: 'new' })
    const written = [...one.records.writable()].map(({ ref, theirs }) => ({ ref, text: theirs }))
    expect(written).toEqual([{ ref: ref('a'), text: 'new' }])
    const writing = one.files.write(part, new Map([['a', 'new']]))
    one.read(next)
    expect(await writing).toBe('written')
    one.records.wrote(written)
    expect(await readJson(one.root, FILE)).toEqual({ a: 'new' })
    expect(one.base.get(id('a'))).toBe('new')
    expect(one.records.theirs(id('a'))).toBe(theirs)
    expect(sizes(one)).toEqual({ ...quiet, shown: theirs === undefined ? 0 : 1 })
    expect([...one.records.writable()]).toMatchObject(theirs === undefined ? [] : [{ ref: ref('a'), theirs }])
  },
)

test('somebody saves the file right behind it: nothing says that the service text was seen', async () => {
  const one = await openRecords({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  one.read({ a: 'new' })
  const written = [{ ref: ref('a'), text: 'new' }]
  await one.files.write(part, new Map([['a', 'new']]))
  await one.save({ a: 'mine' })
  one.records.wrote(written)
  expect(one.base.get(id('a'))).toBe('old')
  expect([...one.records.conflicts()]).toMatchObject([{ ref: ref('a'), base: 'old', ours: 'mine', theirs: 'new' }])
})
