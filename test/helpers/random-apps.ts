// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** Apps made up at random, that ask a library for keys: each key that the library looks for must count as used. */
import { build, transform } from 'esbuild'
import * as React from 'react'
import { expect } from 'vitest'
import { usedIn } from './usage.ts'

export const NAMESPACES = ['common', 'shop', 'views/main']

export interface Random {
  pick<T>(list: readonly T[]): T
}

/** The same choices for the same seed: Mulberry32. */
function createRandom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
  return { pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T }
}

export const WORDS = [
  'title',
  'open',
  'item',
  'a',
  'page.title',
  'menu.open',
  'menu.close',
  'x_y',
  'Save all',
  'deep.er.key',
]
export const quote = (text: string) => JSON.stringify(text)

/** A module of keys, with every way to write them; and expressions of another module that mean one of them. */
export function keyModule({ pick }: Random): { readonly code: string; readonly uses: readonly string[] } {
  const word = () => quote(pick(WORDS))
  const code = `
const PART = ${word()}
const base = { save: ${word()}, ...(flag ? { open: ${word()} } : {}) }
export const KEYS = { ...base, close: ${word()}, [PART]: ${word()} }
export const LIST = [${word()}, PART, \`\${PART}.${pick(['more', 'title'])}\`, ...Object.values(base)]
export const ITEMS = LIST.map((label) => ({ label }))
export const make = (name) => \`menu.\${name}\`
export function labelOf(kind) { return kind === 'x' ? ${word()} : KEYS[kind] ?? 'page.' + kind }
export default { nested: { label: ${word()} } }
const flag = ${pick(['true', 'false'])}
`.replace(/\nconst flag = (.*)\n$/, '')
  const flag = pick(['true', 'false'])
  const uses = ['KEYS.save', 'KEYS.close', "(KEYS['open'] ?? 'title')", 'LIST[1]', 'LIST.at(-1)', 'ITEMS[0].label']
  const more = ["make('open')", "labelOf('x')", "labelOf('close')", "labelOf('other')", 'all.nested.label']
  return { code: `const flag = ${flag}\n${code}`, uses: [...uses, ...more] }
}

export const IMPORT_KEYS = "import all, { KEYS, LIST, ITEMS, make, labelOf } from './keys'"

/** An expression for a key, from literals, this module and the module of keys. */
export function keyExpression(random: Random, uses: readonly string[], depth = 0): string {
  const { pick } = random
  const inner = () => (depth > 1 ? quote(pick(WORDS)) : keyExpression(random, uses, depth + 1))
  return pick([
    () => quote(pick(WORDS)),
    () => pick(uses),
    () => `(on ? ${inner()} : ${inner()})`,
    () => `((off && ${inner()}) || ${inner()})`,
    () => `\`menu.\${${pick(["'open'", 'word', 'on'])}}\``,
    () => `['page', ${pick(["'title'", 'word'])}].join('.')`,
    () => `own(${inner()})`,
    () => `{ a: ${inner()} }.a`,
    () => `[${inner()}, ${inner()}][1]`,
  ])()
    .replace(/^\{/, '({')
    .replace(/\}\.a$/, '}).a')
}

export const LOCAL = "const on = true, off = false, word = 'close'; const own = (key) => key;"

export interface Asked {
  /** `undefined`: the library has no namespaces. */
  readonly namespace: string | undefined
  readonly key: string
}

export type Modules = Readonly<Record<string, string>>

/** Runs the entry `page.jsx` with these packages, in place of installed ones. */
export async function runPage(
  files: Modules,
  packages: Readonly<Record<string, object>>,
): Promise<Record<string, unknown>> {
  const given = { ...packages, react: React }
  const { outputFiles } = await build({
    entryPoints: ['page.jsx'],
    bundle: true,
    write: false,
    format: 'cjs',
    logLevel: 'silent',
    plugins: [
      {
        name: 'modules',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /.*/ }, ({ path }) => {
            if (Object.hasOwn(given, path)) return { path, external: true }
            const name = path.replace(/^\.\//, '')
            return {
              path:
                Object.keys(files).find((file) => file.replace(/\.jsx?$/, '') === name.replace(/\.jsx?$/, '')) ?? name,
              namespace: 'app',
            }
          })
          onLoad({ filter: /.*/, namespace: 'app' }, ({ path }) => ({ contents: files[path] ?? '', loader: 'jsx' }))
        },
      },
    ],
  })
  const module = { exports: {} as Record<string, unknown> }
  const require = (name: string) => given[name as keyof typeof given]
  new Function('module', 'exports', 'require', 'React', outputFiles[0]?.text ?? '')(
    module,
    module.exports,
    require,
    React,
  )
  return module.exports
}

/** As it is written, or as a bundler has it. */
async function analyzed(files: Modules, isCompiled: boolean): Promise<Modules> {
  if (!isCompiled) return files
  const entries = Object.entries(files).map(async ([name, code]) => {
    const { code: compiled } = await transform(code, {
      loader: 'jsx',
      jsx: name.length % 2 ? 'automatic' : 'transform',
    })
    return [name, compiled] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The keys that were asked for and do not count as used. */
async function prunedOf(files: Modules, asked: readonly Asked[], random: Random): Promise<unknown[]> {
  const sources = await analyzed(files, random.pick([true, false]))
  const failures: unknown[] = []
  for (const onUnknown of ['keep', 'literals'] as const) {
    const used = usedIn(sources, { namespaces: NAMESPACES, defaultNamespace: 'common', onUnknown })
    for (const { namespace, key } of asked.filter((each) => each.key !== '')) {
      const readings =
        namespace === undefined ? NAMESPACES.map((name) => [name, key] as const) : [[namespace, key] as const]
      for (const [name, own] of readings)
        if (NAMESPACES.includes(name) && !used.isUsed(name, own)) failures.push({ onUnknown, name, own })
    }
  }
  return failures
}

export interface Program {
  readonly files: Modules
  readonly asked: readonly Asked[]
}

/** Makes the programs of these seeds, runs them, and compares. */
export async function expectAllUsed(
  seeds: readonly number[],
  makeProgram: (random: Random) => Promise<Program>,
): Promise<void> {
  let asks = 0
  for (const seed of seeds) {
    const random = createRandom(seed)
    const { files, asked } = await makeProgram(random)
    asks += asked.length
    const wrong = await prunedOf(files, asked, random)
    expect(wrong, `seed ${seed}\n${Object.values(files).join('\n---\n')}`).toEqual([])
  }
  expect(asks).toBeGreaterThan(seeds.length)
}
