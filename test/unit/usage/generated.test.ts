/** Generated programs that run: every key that one of them asks for must count as used. */
import '../../helpers/seed.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { execute, type Program } from '../../helpers/program-libraries.ts'
import { GRAMMAR, NAMESPACES, programOf, programs, STYLES, sourceOf, textOf } from '../../helpers/programs.ts'
import { repeats } from '../../helpers/repeats.ts'
import { usedIn } from '../../helpers/usage.ts'

/** Runs the program. The code of its packages is not analyzed, as in a build. */
async function judge(program: Program) {
  const { asked } = await execute(program)
  const used = usedIn(program.files, { namespaces: NAMESPACES, defaultNamespace: 'common' })
  const literals = usedIn(program.files, { namespaces: NAMESPACES, defaultNamespace: 'common', onUnknown: 'literals' })
  const source = sourceOf(program)
  const dropped = asked.filter(
    ({ namespace, key }) =>
      !used.isUsed(namespace, key) || (source.includes(`'${key}'`) && !literals.isUsed(namespace, key)),
  )
  const unread = used.unknownCalls.filter(({ reason }) => reason === 'syntax')
  expect({ dropped, unread }, source).toEqual({ dropped: [], unread: [] })
  return { asks: asked.length > 0, prunes: NAMESPACES.some((namespace) => !used.isUsed(namespace, 'never')) }
}

test('programs of many statements', { timeout: 600_000 }, async () => {
  const all: Awaited<ReturnType<typeof judge>>[] = []
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      all.push(await judge(program))
    }),
    { numRuns: repeats(60, 4000) },
  )
  const share = (what: 'asks' | 'prunes') => all.filter((each) => each[what]).length / all.length
  // The programs do ask, and what none of them asks for is not all kept.
  expect(share('asks')).toBeGreaterThan(0.8)
  expect(share('prunes')).toBeGreaterThan(0.15)
})

const RUN = { word: 'run', prop: 'label', method: 't', action: 'act' } as const
const RUNS = [
  { ...RUN, c: true, flag: true, i: 1 },
  { ...RUN, c: false, flag: true, i: 0 },
]
const LABELS = 't(rec1.label); t(rec1.title); t(rec1.sub?.label)'
const CHANGE = "rec1.label = '§'"
const STEP = 'function #() { $$ } | #()'
const choicesOf = (rule: string) => (GRAMMAR[rule] ?? []).map(textOf)

/** What else asks for data that a change names. */
const ASKS: Readonly<Record<string, readonly string[]>> = {
  rec1: ['t(rec1.label)'],
  rows1: ['t(rows1[0].label)', 'rows1.forEach((r) => t(r.label))', 'for (const r of rows1) t(r.label)'],
  keys1: ['t(keys1[0])', 'for (const k of keys1) t(k)', 'keys1.map((k) => t(k))'],
  table1: ['t(table1.a.label)', 'Object.values(table1).forEach((r) => t(r.label))'],
  map1: ["t(map1.get('m').label)", 'map1.forEach((r) => t(r.label))'],
  set1: ['set1.forEach((r) => t(r.label))', 'for (const r of set1) t(r.label)'],
  holder1: ['t(holder1.deep.record.label)', 't(holder1.list[0].label)', 'holder1.list.forEach((r) => t(r.label))'],
  tree1: ['t(tree1.label)', 't(tree1.children[0].label)', 'tree1.children.forEach((r) => t(r.label))'],
  setText1: ['t(text1)'],
  ec3: ['t(rec3.label)'],
  store1: ['t(store1.get().label)'],
  lists: ['t(lists.rows[0].label)', 'lists.rows.forEach((r) => t(r.label))'],
  cached: ["t(cached('a').label)"],
  Item: ['t(Item.first.label)'],
}

/** Each choice of the grammar alone, in its simplest form. */
describe('programs of one change and one question', () => {
  const judgeAll = async (...given: readonly [Parameters<typeof programOf>[0], string, object?]) => {
    const [change, ask, more] = given
    for (const run of RUNS) await judge(programOf(change, { code: ask }, run, more))
  }

  test.each(choicesOf('M'))('a change of an object: %s', async (code) => {
    await judgeAll({ code: '' }, `const o = <O>; ${code}; t(o.label); t(o.title); t(o.sub?.label)`)
  })
  test.each(choicesOf('M'))('a change of an alias: %s', async (code) => {
    await judgeAll({ code: `const o = rec1; ${code}` }, LABELS)
  })
  test.each(choicesOf('R'))('a place: %s', async (place) => {
    await judgeAll({ code: `${place}.label = '§'` }, `t(${place}.label)`)
    await judgeAll({ code: `const o = ${place}; o.label = '§'` }, `t(${place}.label)`)
  })
  test.each(choicesOf('C'))('a change: %s', async (code) => {
    for (const [name, asks] of Object.entries(ASKS))
      if (code.includes(name) || (name === 'rec1' && code.includes('<R')))
        for (const ask of asks) await judgeAll({ code }, ask)
  })
  test.each(choicesOf('W'))('a way to run: %s', async (way) => {
    await judgeAll({ code: CHANGE, way }, LABELS)
    for (const run of RUNS) await judge(programOf({ code: CHANGE }, { code: LABELS, way }, run))
  })
  test.each(choicesOf('S'))('a text: %s', async (text) => {
    await judgeAll({ code: `rec1.label = ${text}` }, LABELS)
    await judgeAll({ code: '' }, `t({ label: ${text} }.label); t([${text}][0]); t(${text})`)
  })
  test.each([...choicesOf('I'), ...choicesOf('O')])('an object: %s', async (object) => {
    await judgeAll({ code: '' }, `const o = ${object}; t(o.label); t(o.title); t(o.sub?.label)`)
    await judgeAll({ code: `rec1.sub = ${object}` }, `t(rec1.sub.label); t(rec1.sub.title)`)
  })
  test.each(choicesOf('K'))('a key: %s', async (key) => {
    await judgeAll({ code: "rec1.label = '§'" }, `t(${key})`)
  })
  test.each(choicesOf('Q'))('a question: %s', async (question) => {
    await judgeAll({ code: '' }, `const key = rec1.label; ${question}`)
  })
  test.each(choicesOf('A'))('questions: %s', async (code) => {
    await judgeAll({ code: CHANGE }, code)
  })

  /** Programs that dropped a key. */
  test.each([
    ['', 'const keys = rows1.map((r) => r.label); t(keys[1])'],
    ['[rec1.title, rec1.label] = rows1.map((r) => r.label)', 't(rec1.label)'],
  ])('%s; %s', async (code, ask) => {
    await judgeAll({ code }, ask)
  })

  describe.each(STYLES)('an object of another module, %s', (style) => {
    const PLACES = ['config', 'util', 'main'] as const
    test.each(PLACES)('%s', async (home) => {
      for (const module of PLACES)
        for (const asking of PLACES)
          for (const run of RUNS)
            for (const code of [CHANGE, "const { sub } = rec1; sub.label = '§'"])
              await judge(
                programOf({ code, way: STEP, module }, { code: LABELS, way: STEP, module: asking }, run, {
                  home,
                  style,
                }),
              )
    })
  })
})

/** Every use of the data can be followed: nothing else is kept. */
test.each([
  ['', 't(rec1.label)'],
  [CHANGE, 't(rec1.label)'],
  ["const o = rec1; o.label = '§'", 't(rec1.label)'],
  ["const { sub } = rec1; sub.label = '§'", 't(rec1.sub.label)'],
  ["((o) => { o.label = '§' })(rec1)", 't(rec1.label)'],
  ['rename(rec1)', 't(rec1.label)'],
  ['[rec1.label, rec1.sub.label] = [rec1.sub.label, rec1.label]', 't(rec1.label)'],
  ["for (const o of rows1) if (flag) o.label = '§'", 'rows1.map((r) => t(r.label))'],
  ["rows1.forEach((o) => { o.label = '§' })", 'for (const r of rows1) t(r.label)'],
  ["rows1.find((o) => o.title).label = '§'", 't(rows1[0].label)'],
  ["Object.assign(rec1, { label: '§' })", 't(rec1.label)'],
  ['rows1.reverse()', 't(rows1[0].label)'],
  ["rows1.push({ label: '§' })", 'rows1.map((r) => t(r.label))'],
  ['const o = { ...rec1 }; t(o.label)', 't(rec1.label)'],
])('%s; %s keeps no other key', async (change, ask) => {
  for (const run of RUNS) {
    const { files } = programOf({ code: change }, { code: ask }, run)
    const used = usedIn(files, { namespaces: NAMESPACES, defaultNamespace: 'common' })
    expect([used.isUsed('common', 'never'), used.isUsed('common', 'k2')], files['main.js']).toEqual([false, false])
  }
})
