/**
 * Texts that come with chunks: whatever is loaded in whatever order, code that runs finds every key that it can ask
 * for.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import type { ResolvedConfig } from '../../../src/config/types.ts'
import { addressesExpression, perChunkExpression } from '../../../src/output/prebuilt-chunks.ts'
import { createPrebuiltGenerator } from '../../../src/plugin/prebuilt-chunks.ts'
import { pruneTranslations } from '../../../src/plugin/prune.ts'
import { perChunkKeys } from '../../../src/plugin/pruned-state.ts'
import type { LoadedState } from '../../../src/plugin/state.ts'
import { createPerChunkLoad, type Messages, type PerChunkAddresses } from '../../../src/runtime.ts'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { type CodeChunk, planLoads, planParts } from '../../../src/usage/parts.ts'
import { repeats } from '../../helpers/repeats.ts'

const NAMESPACES = ['common', 'shop']
const KEYS = ['a', 'b', 'c', 'd', 'e']

interface World {
  readonly languages: readonly string[]
  readonly chunks: readonly CodeChunk[]
  /** What each module asks for; a key `*` for a call that cannot be known. */
  readonly asks: ReadonlyMap<string, readonly (readonly [namespace: string, key: string])[]>
  /** Keys whose text refers to another one of its namespace. */
  readonly references: ReadonlyMap<string, string>
  readonly keep: readonly string[]
  readonly shape: 'flat' | 'nested'
}

const chunkNames = ['0', '1', '2', '3', '4']
const few = <T>(of: fc.Arbitrary<T>, maxLength = 2) => fc.array(of, { maxLength })
const world: fc.Arbitrary<World> = fc
  .record({
    // With many, hashes are in files of their own.
    languages: fc.constantFrom(
      ['en', 'de'],
      Array.from({ length: 70 }, (_, i) => `q${'abc'[Math.floor(i / 26)]}${String.fromCharCode(97 + (i % 26))}`),
    ),
    chunks: fc.tuple(
      ...chunkNames.map((name) =>
        fc.record({
          name: fc.constant(name),
          modules: few(fc.constantFrom('m0', 'm1', 'm2', 'm3', 'm4', 'm5')),
          imports: few(fc.constantFrom(...chunkNames)),
          dynamicImports: few(fc.constantFrom(...chunkNames), 3),
          isEntry: name === '0' ? fc.constant(true) : fc.constantFrom(false, false, false, true),
        }),
      ),
    ),
    asks: fc.array(few(fc.tuple(fc.constantFrom(...NAMESPACES), fc.constantFrom(...KEYS, '*')), 3), {
      minLength: 6,
      maxLength: 6,
    }),
    references: few(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...KEYS)), 3),
    keep: few(fc.constantFrom('a', 'shop:b'), 1),
    shape: fc.constantFrom('flat' as const, 'nested' as const),
  })
  .map(({ asks, references, ...rest }) => ({
    ...rest,
    asks: new Map(asks.map((of, i) => [`m${i}`, of])),
    references: new Map(references),
  }))

async function build({ languages, chunks, asks, references, keep, shape }: World) {
  const parts = languages.flatMap((language) =>
    NAMESPACES.map((namespace) => ({
      language,
      namespace,
      messages: new Map(
        KEYS.map((key) => {
          const other = references.get(key)
          return [key, other === undefined ? `${language} ${key}` : `$t(${namespace}:${other}) ${language}`]
        }),
      ),
    })),
  )
  const prune = { keep, functions: [], onUnknown: 'keep', ignoreIn: [], perChunk: true } as const
  const config = {
    root: '/app',
    languages: undefined,
    fallback: false,
    defaultNamespace: 'common',
    customers: [],
    prune,
    shape,
    keySeparator: '.',
    compile: false,
    report: false,
  } as unknown as ResolvedConfig
  const translations = createTranslations(createCatalog({ parts }), config)
  const state = { config, translations, loaded: { files: {} } } as unknown as LoadedState
  const analyzer = createAnalyzer()
  const modules = [...asks].map(([module, of]) => {
    const lines = of.map(([namespace, key], i) => {
      const use = key === '*' ? `show(x${i})` : `show(x${i}[${JSON.stringify(key)}])`
      return `const x${i} = await load('en', '${namespace}'); ${use}`
    })
    return [
      module,
      analyzer.analyze(`import { load } from 'virtual:translations'\n${lines.join('\n')}`, module),
    ] as const
  })
  const { used, base, chunks: chunkKeys } = await perChunkKeys(state, modules, { chunks })
  const pruned: LoadedState = {
    ...state,
    translations: pruneTranslations(translations, used, config),
    perChunk: { base: pruneTranslations(translations, base, config), chunks: chunkKeys },
  }
  const silent = { info() {}, warn() {}, error() {} }
  return createPrebuiltGenerator(pruned, silent as never)('.js')
}

/** The files of a build as a page fetches them: each after a few turns, and some of them not at first. */
function serve(files: Awaited<ReturnType<typeof build>>, turns: () => number, failing: Set<string>): PerChunkAddresses {
  const byName = new Map(files.files.map(({ name, module }) => [name, module.bytes.toString()]))
  const modules = new Map<string, { default: unknown }>()
  const fetchFile = async (address: string) => {
    for (let left = turns(); left > 0; left--) await undefined
    const name = address.replace('base/', '')
    const code = byName.get(name)
    if (code === undefined) throw new Error(`no such file: ${name}`)
    if (failing.delete(name.replace(/\.[0-9a-f]{8}\.js$/, ''))) throw new Error('not now')
    const value = code.replace(/^export default |^var messages = |export default messages\n$/g, '')
    if (!modules.has(name)) modules.set(name, { default: new Function(`return ${value}`)() })
    return modules.get(name)
  }
  const expression = addressesExpression({ extension: '.js' }, files.hashes, "'base/'", [
    perChunkExpression(files, '[]', (chunk) => JSON.stringify(chunk)),
  ])
  return new Function('fetchFile', `return ${expression.replace('import(', 'fetchFile(')}`)(fetchFile)
}

test('in every order, loaded code finds its keys', async () => {
  const action = fc.oneof(
    fc.record({ load: fc.constantFrom(...NAMESPACES), language: fc.constantFrom(0, 1), wait: fc.nat(12) }),
    fc.record({ chunk: fc.constantFrom(...chunkNames), wait: fc.nat(12) }),
  )
  let imported = 0
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(action, { minLength: 2, maxLength: 12 }),
      fc.infiniteStream(fc.nat(6)),
      few(fc.constantFrom(...NAMESPACES.flatMap((name) => ['en', 'de', 'l0'].map((l) => `${l}/${name}.chunk`)))),
      async (given, actions, turns, failing) => {
        const files = await build(given)
        const addresses = serve(files, () => turns.next().value, new Set(failing))
        const once = { ...addresses }
        const { languages } = given
        const manifest = createPerChunkLoad(languages, NAMESPACES, 'common', () => once)
        const given1 = new Map<string, Messages>()
        const copies = new Map<string, Messages>()
        manifest.onUpdate((update) => {
          if (update.type === 'messages') copies.set(`${update.language}/${update.namespace}`, { ...update.messages })
        })
        const running = new Set<string>()
        const chunkOf = new Map(given.chunks.map((chunk) => [chunk.name, chunk]))
        const run = (name: string) => {
          if (running.has(name)) return
          running.add(name)
          for (const next of chunkOf.get(name)?.imports ?? []) run(next)
        }
        const check = () => {
          const asked = new Set([...running].flatMap((name) => chunkOf.get(name)?.modules ?? []))
          for (const [place, texts] of [...given1, ...copies]) {
            const namespace = place.split('/')[1]
            for (const module of asked) {
              for (const [of, key] of given.asks.get(module) ?? []) {
                if (of !== namespace) continue
                for (const each of key === '*' ? KEYS : [key]) {
                  for (let at: string | undefined = each, left = 9; at !== undefined && left > 0; left--) {
                    expect(Object.hasOwn(texts, at), `${place} ${at} for ${module}`).toBe(true)
                    at = given.references.get(at)
                  }
                }
              }
            }
          }
        }
        const start = async (name: string) => {
          const before = [...running].some((from) => chunkOf.get(from)?.dynamicImports.includes(name))
          if (!before) return
          const done = await Promise.resolve(once.queue.push(name)).then(
            () => true,
            () => false,
          )
          if (!done) return
          imported++
          run(name)
          check()
        }
        for (const { name, isEntry } of given.chunks) if (isEntry && name === '0') run(name)
        await Promise.all(
          actions.map(async (each) => {
            for (let left = each.wait; left > 0; left--) await undefined
            if ('chunk' in each) return start(each.chunk)
            const language = given.languages[each.language] as string
            const texts = await manifest.load(language, each.load).catch(() => undefined)
            if (!texts) return
            const place = `${language}/${each.load}`
            expect(given1.get(place) ?? texts).toBe(texts)
            given1.set(place, texts)
            copies.set(place, { ...texts })
            check()
          }),
        )
        // What failed is fetched by the next try.
        for (const name of chunkNames) await start(name)
        check()
      },
    ),
    { numRuns: repeats(20, 300) },
  )
  expect(imported).toBeGreaterThan(repeats(10, 300))
})

test('what no chunk but a lazy one asks for comes with it, and nothing twice', async () => {
  const chunk = (name: string, more: Partial<CodeChunk> = {}): CodeChunk => ({
    name,
    modules: [`m${name}`],
    imports: [],
    dynamicImports: [],
    isEntry: false,
    ...more,
  })
  const chunks = [
    chunk('0', { isEntry: true, imports: ['shared'], dynamicImports: ['1', '2'] }),
    chunk('shared'),
    chunk('1', { imports: ['both', 'shared'] }),
    chunk('2', { imports: ['both'] }),
    chunk('both'),
    chunk('unseen'),
  ]
  const plan = planParts(chunks)
  expect([...plan.base].sort()).toEqual(['m0', 'mshared', 'munseen'])
  expect([...plan.lazy].map(([name, modules]) => [name, [...modules].sort()])).toEqual([
    ['1', ['m1', 'mboth']],
    ['2', ['m2', 'mboth']],
  ])
})

test('a page loads what its entry imports, and then what it imports lazily', () => {
  const chunk = (name: string, more: Partial<CodeChunk> = {}): CodeChunk => {
    return { name, modules: [], imports: [], dynamicImports: [], isEntry: false, ...more }
  }
  const loads = planLoads([
    chunk('main', {
      isEntry: true,
      label: 'src/main.ts',
      imports: ['shared'],
      dynamicImports: ['lazy', 'admin', 'gone'],
    }),
    chunk('admin', { isEntry: true, imports: ['both'] }),
    chunk('shared', { dynamicImports: ['both'] }),
    chunk('lazy', { imports: ['shared', 'lazy'] }),
    chunk('both'),
  ])
  expect(loads).toEqual([
    { label: 'src/main.ts', isEntry: true, chunks: ['main', 'shared'], bringing: ['main'] },
    { label: 'admin', isEntry: true, chunks: ['admin', 'both'], bringing: ['admin'] },
    { label: 'lazy', isEntry: false, chunks: ['lazy', 'shared'], bringing: ['lazy'] },
    { label: 'both', isEntry: false, chunks: ['both'], bringing: ['both'] },
  ])
})

test('kept keys belong to every page, whatever asks for them', async () => {
  const files = await build({
    languages: ['en'],
    chunks: [
      { name: '0', modules: ['m0'], imports: [], dynamicImports: ['1'], isEntry: true },
      { name: '1', modules: ['m1'], imports: [], dynamicImports: [], isEntry: false },
    ],
    asks: new Map([
      ['m0', [['common', 'b']]],
      [
        'm1',
        [
          ['common', 'a'],
          ['common', 'c'],
          ['common', 'd'],
        ],
      ],
    ]),
    references: new Map([['b', 'd']]),
    keep: ['common:a'],
    shape: 'flat',
  })
  const texts = files.files.map(({ name, module }) => [name.replace(/\.[0-9a-f]{8}\.js$/, ''), module.bytes.toString()])
  expect(texts.map(([name]) => name).sort()).toEqual(['en/common', 'en/common.chunk'])
  const [base, part] = ['en/common', 'en/common.chunk'].map((name) => texts.find(([each]) => each === name)?.[1] ?? '')
  for (const key of ['a', 'b', 'd']) expect(base).toContain(`"${key}"`)
  expect(base).not.toContain('"c"')
  expect(part).toMatch(/\{"c":"en c"\}/)
})
