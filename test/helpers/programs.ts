/** Generated programs of several modules, and the keys that they ask for when they run. */
import fc from 'fast-check'
import { CHANGES } from './program-changes.ts'
import { DECLARED } from './program-data.ts'
import { VALUES } from './program-grammar.ts'
import { LIBRARIES, type Program, type Run } from './program-libraries.ts'
import { QUESTIONS } from './program-questions.ts'

export const NAMESPACES = ['common', 'shop']

export const GRAMMAR = { ...VALUES, ...CHANGES, ...QUESTIONS }

/** To read it in a report. */
export function sourceOf({ files, run }: Program): string {
  const sources = Object.entries(files).map(([name, code]) => `// ${name}\n${code}`)
  return [`// ${JSON.stringify(run)}`, ...sources].join('\n')
}

const MODULES = ['config', 'util', 'main'] as const
type ModuleName = (typeof MODULES)[number]

/** Each module declares them itself. */
const CONSTANTS: Readonly<Record<string, string>> = {
  run: 'const run = globalThis.run',
  c: 'const c = globalThis.run.c',
  flag: 'const flag = globalThis.run.flag',
  i: 'const i = globalThis.run.i',
  none: 'const none = globalThis.run.none',
  name: "const name = 'label'",
  method: "const method = 't'",
}

const texts = fc.letrec<Record<string, string>>((tie) =>
  Object.fromEntries(
    Object.entries(GRAMMAR).map(([rule, choices]) => {
      const all = choices.map((choice) => {
        const [weight, text] = typeof choice === 'string' ? [1, choice] : choice
        return { weight, arbitrary: filled(text, tie) }
      })
      return [rule, fc.oneof({ maxDepth: 6, depthSize: 'small', withCrossShrink: true }, ...all)]
    }),
  ),
)

/** The text with a choice in place of each `<Rule>`; names with the same digit have the same choice. */
function filled(text: string, tie: (rule: string) => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parts = text.split(/(<[A-Za-z]+\d?>)/)
  const rules = parts.filter((_, at) => at % 2 === 1).map((part) => part.slice(1, -1))
  const ids = rules.map((rule, at) => (/\d$/.test(rule) && !GRAMMAR[rule] ? rule : `${rule} ${at}`))
  const unique = [...new Set(ids)]
  if (unique.length === 0) return fc.constant(text)
  return fc
    .tuple(...unique.map((id) => tie(GRAMMAR[id.split(' ')[0] ?? ''] ? (id.split(' ')[0] ?? '') : id.slice(0, -1))))
    .map((chosen) =>
      parts.map((part, at) => (at % 2 === 0 ? part : chosen[unique.indexOf(ids[(at - 1) / 2] ?? '')])).join(''),
    )
}

interface Statement {
  readonly code: string
  readonly way: string
  readonly module: ModuleName
}

const place = fc.constantFrom<ModuleName>('main', 'util', 'config')
const statement = (rule: 'A' | 'C', inPlace = 1) =>
  fc.record<Statement>({
    code: texts[rule] as fc.Arbitrary<string>,
    way: fc.oneof(
      { weight: inPlace, arbitrary: fc.constant('{ $$ }') },
      { weight: 1, arbitrary: texts.W as fc.Arbitrary<string> },
    ),
    module: place,
  })

/** How another module gets at a name. */
export const STYLES = ['named', 'namespace', 'reexport', 'default', 'renamed'] as const
type Style = (typeof STYLES)[number]

interface Declaration {
  readonly code: string
  readonly home: ModuleName
  readonly style: Style
}

const declarations = fc.record(
  Object.fromEntries(
    Object.entries(DECLARED).map(([name, { code }]) => {
      const isRecursive = (text: string) => code.includes('<') && text.split(new RegExp(`\\b${name}\\(`)).length > 2
      const whole = filled(code, (rule) => texts[rule] as fc.Arbitrary<string>).filter((text) => !isRecursive(text))
      return [name, fc.record<Declaration>({ code: whole, home: place, style: fc.constantFrom(...STYLES) })]
    }),
  ),
)

export const programs: fc.Arbitrary<Program> = fc
  .record({
    changes: fc.array(statement('C'), { maxLength: 3 }),
    asks: fc.array(statement('A', 3), { minLength: 1, maxLength: 2 }),
    declarations,
    packageStyle: fc.constantFrom('namespace', 'named', 'default'),
    /** Within one module, more of it can be known. */
    isSpread: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    run: fc.record<Run>({
      c: fc.boolean(),
      flag: fc.boolean(),
      i: fc.nat(1),
      word: fc.constantFrom('x', 'run'),
      prop: fc.constantFrom('label', 'title'),
      method: fc.constant('t' as const),
      action: fc.constant('act' as const),
    }),
  })
  .map(({ changes, asks, run, isSpread, ...how }) => {
    const inMain = <T extends object>(each: T) => (isSpread ? each : { ...each, module: 'main', home: 'main' })
    const { declarations } = how
    const homes = Object.fromEntries(Object.entries(declarations).map(([name, each]) => [name, inMain(each)]))
    const printer = new Printer({ ...how, declarations: homes as typeof declarations })
    return { files: printer.print(changes.map(inMain) as Statement[], asks.map(inMain) as Statement[]), run }
  })

type Choice = string | readonly [weight: number, text: string]
export const textOf = (choice: Choice) => (typeof choice === 'string' ? choice : choice[1])

/** The text with the first choice of each rule. */
function simplest(text: string): string {
  return text.replace(/<([A-Za-z]+\d?)>/g, (_, rule: string) => {
    const [first = ''] = GRAMMAR[rule] ?? GRAMMAR[rule.slice(0, -1)] ?? []
    return simplest(textOf(first))
  })
}

/** One statement that changes and one that asks, with the simplest data. */
export function programOf(
  change: Partial<Statement> & Pick<Statement, 'code'>,
  ask: Partial<Statement> & Pick<Statement, 'code'>,
  run: Run,
  { home = 'main', style = 'named' }: { home?: ModuleName; style?: Style } = {},
): Program {
  const declarations = Object.fromEntries(
    Object.entries(DECLARED).map(([name, { code }]) => [name, { code: simplest(code), home, style }]),
  )
  const whole = (each: Partial<Statement>) => ({
    way: '{ $$ }',
    module: 'main' as const,
    ...each,
    code: simplest(each.code ?? ''),
  })
  return { files: new Printer({ declarations, packageStyle: 'namespace' }).print([whole(change)], [whole(ask)]), run }
}

interface Printing {
  readonly declarations: Readonly<Record<string, Declaration>>
  readonly packageStyle: string
}

/** Only the module that declares a variable can set it. */
const SETTERS: Readonly<Record<string, string>> = { setText1: 'text1', setRec3: 'rec3' }

const isVariable = (name: string) => Object.values(SETTERS).includes(name)

const rankOf = (module: ModuleName) => MODULES.indexOf(module)

/** A name of the program where it is used: not a property, and not in quotes. */
const nameIn = (name: string) => new RegExp(`(?<![\\w$'#])(?<!(?<!\\.\\.)\\.)${name}(?![\\w$'])`, 'g')
const namesIn = (text: string, names: Iterable<string>) => [...names].filter((name) => nameIn(name).test(text))
const NAMES = Object.keys(DECLARED)

class Printer {
  readonly #homes = new Map<string, ModuleName>()

  constructor(private readonly printing: Printing) {}

  print(changes: readonly Statement[], asks: readonly Statement[]): Record<string, string> {
    const bodies: Record<ModuleName, { declared: string[]; run: string[] }> = {
      config: { declared: [], run: [] },
      util: { declared: [], run: [] },
      main: { declared: [], run: [] },
    }
    const steps = new Map<string, ModuleName>()
    for (const [at, each] of [...changes, ...asks].entries()) {
      const { declared, call } = placed(each, at)
      // Other modules run before all that they need is there.
      const isAsk = at >= changes.length
      const home = declared === undefined && (isAsk || this.#rankOf(call) > rankOf(each.module)) ? 'main' : each.module
      if (declared === undefined) bodies[home].run.push(call)
      else {
        steps.set(`step${at}`, home)
        bodies[home].declared.push(declared)
        bodies.main.run.push(call)
      }
    }
    const all = MODULES.flatMap((module) => [...bodies[module].declared, ...bodies[module].run]).join('\n')
    const used = this.#closure(all)
    for (const name of used) this.#homes.set(name, this.#homeOf(name))
    const homes = new Map([...this.#homes, ...steps])
    const own = (module: ModuleName) =>
      NAMES.filter((name) => used.has(name) && homes.get(name) === module).map(
        (name) => this.printing.declarations[name]?.code ?? '',
      )
    const written = Object.fromEntries(
      MODULES.map((module) => {
        const { declared, run } = bodies[module]
        const setup = module === 'main' ? [SETUP] : []
        return [module, [...setup, ...own(module), ...declared, ...run].join('\n')]
      }),
    ) as Record<ModuleName, string>
    return this.#link(written, homes)
  }

  /** The names that a text needs, and those that they need. */
  #closure(text: string, found = new Set<string>()): Set<string> {
    for (const name of namesIn(text, NAMES)) {
      if (found.has(name)) continue
      found.add(name)
      this.#closure(this.printing.declarations[name]?.code ?? '', found)
    }
    return found
  }

  #rankOf(text: string): number {
    return Math.max(0, ...[...this.#closure(text)].map((name) => rankOf(this.#homeOf(name))))
  }

  /** A value is declared behind what it is made of. */
  #homeOf(name: string): ModuleName {
    if (name in SETTERS) return this.#homeOf(SETTERS[name] ?? '')
    const { code = '', home = 'main' } = this.printing.declarations[name] ?? {}
    if (code.startsWith('function')) return home
    const needed = [...this.#closure(code)].filter((each) => each !== name)
    return MODULES[Math.max(rankOf(home), ...needed.map((each) => rankOf(this.#homeOf(each))))] ?? home
  }

  /** Imports and exports. */
  #link(written: Readonly<Record<ModuleName, string>>, homes: ReadonlyMap<string, ModuleName>): Record<string, string> {
    const heads: Record<ModuleName, Set<string>> = { config: new Set(), util: new Set(), main: new Set() }
    const exported: Record<ModuleName, Set<string>> = { config: new Set(), util: new Set(), main: new Set() }
    const bodies: Record<string, string> = { ...written }
    const defaults = new Map<ModuleName, Set<string>>()
    for (const module of MODULES) {
      const text = written[module]
      for (const name of namesIn(text, homes.keys())) {
        const home = homes.get(name) as ModuleName
        if (home === module) continue
        const style = this.printing.declarations[name]?.style ?? 'named'
        const replace = (by: string) => {
          bodies[module] = (bodies[module] ?? '').replace(nameIn(name), () => by)
        }
        const through = MODULES.find((each) => each !== module && each !== home) as ModuleName
        if (style === 'namespace') {
          heads[module].add(`import * as ${home} from './${home}.js'`)
          replace(`${home}.${name}`)
        } else if (style === 'default' && !isVariable(name)) {
          heads[module].add(`import ${home}Default from './${home}.js'`)
          defaults.set(home, (defaults.get(home) ?? new Set()).add(name))
          replace(`${home}Default.${name}`)
        } else if (style === 'reexport' && through !== 'main') {
          heads[through].add(`export { ${name} } from './${home}.js'`)
          heads[module].add(`import { ${name} } from './${through}.js'`)
        } else if (style === 'renamed') {
          heads[module].add(`import { ${name} as ${name}Other } from './${home}.js'`)
          replace(`${name}Other`)
        } else heads[module].add(`import { ${name} } from './${home}.js'`)
        if (style !== 'default' || isVariable(name)) exported[home].add(name)
      }
    }
    let count = 0
    const files: Record<string, string> = {}
    for (const module of MODULES) {
      let body = (bodies[module] ?? '').trim()
      if (body === '' && heads[module].size === 0) continue
      const more = [...(defaults.get(module) ?? [])]
      if (exported[module].size > 0) body += `\nexport { ${[...exported[module]].join(', ')} }`
      if (more.length > 0) body += `\nexport default { ${more.join(', ')} }`
      const head = [...this.#packages(body), ...heads[module]]
      const constants = namesIn(body, Object.keys(CONSTANTS)).map((name) => CONSTANTS[name])
      if (this.printing.packageStyle === 'named') body = body.replace(/\bpkg\.(\w+)/g, '$1Pkg')
      files[`${module}.js`] = [...head, ...constants, body].join('\n').replaceAll('§', () => `k${++count}`)
    }
    return files
  }

  #packages(body: string): string[] {
    const libraries = namesIn(body, Object.keys(LIBRARIES)).map((name) => LIBRARIES[name] ?? '')
    const ofPackage = [...new Set([...body.matchAll(/\bpkg\.(\w+)/g)].map(([, name]) => name))]
    if (ofPackage.length === 0) return libraries
    const { packageStyle } = this.printing
    const named = `{ ${ofPackage.map((name) => `${name} as ${name}Pkg`).join(', ')} }`
    const what = { namespace: '* as pkg', default: 'pkg', named }[packageStyle]
    return [...libraries, `import ${what} from 'pkg'`]
  }
}

const SETUP = "i18n.init({ lng: 'en', ns: ['common', 'shop'], defaultNS: 'common' })"

/** The statement where it runs: what the other module declares, and what `main.js` does. */
function placed({ code, way }: Statement, at: number): { declared: string | undefined; call: string } {
  const data = namesIn(
    code,
    NAMES.filter((name) => DECLARED[name]?.isData),
  )
  const usable = data.length === 0 && way.includes('«') ? '{ $$ }' : way
  const local = data.reduce((text, name) => text.replace(nameIn(name), `${name}$`), code)
  const text = usable
    .replace(/«(.*?)»/g, (_, each: string) =>
      data.map((name) => each.replace(/v/gi, (letter) => (letter === 'v' ? `${name}$` : name))).join(', '),
    )
    .replaceAll('#', `step${at}`)
    .replace('$$ }', () => `${code} }`)
    .replace(/(?<![\w])\$ \}/, () => `${local} }`)
  const [declared, call] = text.split(' | ')
  if (call === undefined) return { declared: undefined, call: text }
  return { declared, call }
}
