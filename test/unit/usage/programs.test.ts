// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** Programs made up and run: every key that one of them asks for must count as used. */
import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeats } from '../../helpers/repeats.ts'
import { usedIn } from '../../helpers/usage.ts'

const NAMESPACES = ['default', 'shop', 'common', 'views/main']
const word = fc.constantFrom('a', 'b', 'title', 'x_y', 'one', '__proto__', 'constructor', 'długi', 'a-b', '0')
const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.'))
const namespace = fc.constantFrom(...NAMESPACES)
const quote = (text: string) => JSON.stringify(text)

/** Expressions that give a text; `c` is true or false, `v` a text, `i` 0 or 1, all known only when it runs. */
const { text } = fc.letrec<{ text: string; object: string; list: string; number: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    path.map(quote),
    path.map((key) => `K(${quote(key)})`),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(c ? ${a} : ${b})`),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(${a} + '.' + ${b})`),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `\`\${${a}}.\${${b}}\``),
    tie('text').map((a) => `\`${'${v}'}.\${${a}}\``),
    tie('text').map((a) => `(${a} + '.' + v)`),
    tie('text').map((a) => `(none || ${a})`),
    tie('text').map((a) => `(none ?? ${a})`),
    tie('text').map((a) => `(0, ${a})`),
    tie('text').map((a) => `String(${a})`),
    tie('text').map((a) => `(() => ${a})()`),
    tie('text').map((a) => `((z) => z)(${a})`),
    tie('text').map((a) => `((z = ${a}) => z)()`),
    tie('text').map((a) => `(function () { if (c) return ${a}; return 'other' })()`),
    fc.tuple(tie('object'), fc.constantFrom('p', 'q')).map(([o, name]) => `${o}.${name}`),
    fc.tuple(tie('object'), fc.constantFrom('p', 'q')).map(([o, name]) => `${o}[${quote(name)}]`),
    tie('object').map((o) => `${o}[c ? 'p' : 'q']`),
    tie('object').map((o) => `${o}[pq]`),
    tie('list').map((l) => `${l}[i]`),
    tie('list').map((l) => `${l}.at(i)`),
    tie('list').map((l) => `${l}.join('.')`),
    tie('list').map((l) => `${l}.map((e) => e + '.m')[i]`),
    tie('list')
      .map((l) => `${l}.find(() => c) ?? 'none'`)
      .map((code) => `(${code})`),
    tie('list').map((l) => `[...${l}, 'last'][i]`),
    tie('object').map((o) => `Object.values(${o})[i]`),
    tie('object').map((o) => `Object.keys(${o})[i]`),
    tie('object').map((o) => `Object.entries(${o})[i][1]`),
    tie('text').map((a) => `${a}.toUpperCase()`),
    tie('text').map((a) => `${a}.concat('.z')`),
    tie('text').map((a) => `lookup[${a}]`),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `\`a.\${${a} + ${b}}\``),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `('a.' + (${a} + ${b}))`),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `(${a} + ${b} + '.a')`),
  ),
  number: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('1', 'i', '(c ? 1 : 2)', "['a'].length"),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `(${a} + ${b})`),
    tie('number').map((a) => `((z = ${a}) => z + 1)()`),
  ),
  object: fc.oneof(
    fc.tuple(tie('text'), tie('text')).map(([p, q]) => `({ p: ${p}, q: ${q} })`),
    fc.tuple(tie('text'), tie('text')).map(([p, q]) => `({ ...{ p: ${p} }, q: ${q} })`),
    fc.tuple(tie('text'), tie('text')).map(([p, q]) => `Object.freeze({ p: ${p}, ['q']: ${q} })`),
    fc.tuple(tie('object'), tie('text')).map(([o, q]) => `({ ...${o}, q: ${q} })`),
    fc.tuple(tie('object'), tie('text')).map(([o, q]) => `changed(${o}, ${q})`),
  ),
  list: fc.oneof(
    fc.tuple(tie('text'), tie('text')).map(([p, q]) => `[${p}, ${q}]`),
    fc.tuple(tie('list')).map(([l]) => `${l}.filter(Boolean)`),
    fc.tuple(tie('list'), tie('text')).map(([l, q]) => `[${q}, ...${l}]`),
    tie('list').map((l) => `Array.from(${l})`),
  ),
}))

/** Ways to hold a text before it is used: `$` stands for the expression. `key` holds it then. */
const holding = fc.constantFrom(
  'const key = $;',
  'let key = "early"; if (c) key = $;',
  'let key; key = $;',
  'let key = "start"; key += $;',
  'var key = $; var key = key;',
  'const { key } = { key: $ };',
  'const [key] = [$];',
  'const { k: { key } } = { k: { key: $ } };',
  'const { key = $ } = {};',
  'const box = { key: "early" }; box.key = $; const key = box.key;',
  'const box = {}; box[pq] = $; const key = box[pq];',
  'const list = []; list.push($); const key = list[0];',
  'const box = {}; Object.assign(box, { key: $ }); const key = box.key;',
  'const box = { key: "early" }; fill(box, $); const key = box[k];',
  'const alias = { key: $ }; const box = alias; const key = box[k];',
  'function make() { return $ } const key = make();',
  'const make = (which) => { switch (which) { case 1: return "one"; default: return $ } }; const key = make(i);',
  'class Keys { static key = $ } const key = Keys.key;',
  'class Keys { get key() { return $ } } const key = new Keys().key;',
  'let key; for (const one of [$, "other"]) key = one;',
  'let key; for (const one in { [$]: 1 }) key = one;',
  'let key; [$, "other"].forEach((one) => { key = one });',
  'let key; try { throw $ } catch (error) { key = error }',
  'let key; ({ key } = { key: $ });',
  'const map = new Map([["m", $]]); const key = map.get("m");',
  'const key = [$].reduce((_, one) => one, "");',
  'const key = await Promise.resolve($);',
)

/** Ways to get at a translation function, and to ask. `say`, `N` a namespace, `P` a prefix; `key` holds the key. */
const asking = fc.constantFrom(
  't(key)',
  '(0, lib.t)(key)',
  'lib["t"](key)',
  'lib?.t?.(key)',
  't?.(key)',
  't([key, "second"])',
  't([...[key], "second"])',
  't.call(null, key); t.apply(null, [key])',
  't(...[key])',
  'i18n.t(key)',
  'i18n.t.bind(i18n)(key)',
  'const say = i18n.t.bind(i18n); say(key)',
  'const { t } = useTranslation(); t(key)',
  'const { t } = useTranslation(N); t(key)',
  'const { t: say } = useTranslation(N); say(key)',
  'const { t: say } = useTranslation([N, "shop"]); say(key)',
  'const [say] = useTranslation(N); say(key)',
  'const all = useTranslation(N); all.t(key)',
  'const { ...rest } = useTranslation(N); rest.t(key)',
  'const { t: say } = useTranslation(N, { keyPrefix: P }); say(key)',
  'const options = { keyPrefix: P }; const { t: say } = useTranslation(N, options); say(key)',
  'const { t: say } = useTranslation(N, { ...{ keyPrefix: P } }); say(key)',
  'const { t } = useTranslation(N); t(key, { ns: "shop" })',
  'const { t } = useTranslation(N); const o = { ns: "shop" }; t(key, o)',
  'const { t } = useTranslation(N); t(key, { ...{ ns: "shop" } })',
  'const { t } = useTranslation(N); t("shop:" + key)',
  'const { t } = useTranslation(N); t(key, "Default", { ns: "shop" })',
  'const { t } = useTranslation(N); const wrapped = (k, o) => t(k, o); wrapped(key, { ns: "shop" })',
  'const { t } = useTranslation(N); const inner = (say) => say(key); inner(t)',
  'const { t } = useTranslation(N); function inner(t) { t(key) } inner(t)',
  'const { t } = useTranslation(N); function inner(t) { deep(t) } function deep(say) { say(key) } inner(t)',
  'const { t } = useTranslation(N, { keyPrefix: P }); function inner(t) { t(key) } inner(t)',
  'const { t } = useTranslation(N, { keyPrefix: P }); const Row = ({ t }) => t(key); Row({ t })',
  'const { t } = useTranslation(N, { keyPrefix: P }); const Row = ({ t: say }) => say(key); Row({ t })',
  'const { t } = useTranslation(N); const Row = (props) => props.t(key); Row({ t })',
  'const { t } = useTranslation(N); const Row = (props) => props.say(key); Row({ say: t })',
  'const { t } = useTranslation(N); const box = {}; box.say = t; box.say(key)',
  'const { t } = useTranslation(N); const box = [t]; box[0](key)',
  'const { t } = useTranslation(N); const ref = { current: t }; ref.current(key)',
  'const ref = useRef(i18n.t); ref.current(key)',
  'const useShop = () => useTranslation(N, { keyPrefix: P }); const { t } = useShop(); t(key)',
  'const useShop = () => { const { t } = useTranslation(N); return t }; const say = useShop(); say(key)',
  'const useShop = () => { const { t } = useTranslation(N); return { say: t } }; const { say } = useShop(); say(key)',
  'let say; say = useTranslation(N).t; say(key)',
  'const say = c ? useTranslation(N).t : i18n.t; say(key)',
  'const say = (c && useTranslation(N).t) || i18n.t; say(key)',
  'const say = i18n.getFixedT("en", N, P); say(key)',
  'const { getFixedT } = i18n; getFixedT("en", N)(key)',
  'i18n.exists(key)',
  '_jsx(Trans, { i18nKey: key })',
  '_jsx(Trans, { i18nKey: key, ns: N })',
  'const { t } = useTranslation(N); _jsx(Trans, { i18nKey: key, t })',
  'const props = { i18nKey: key }; _jsx(Trans, props)',
  'const props = { i18nKey: key }; _jsx(Trans, { ...props })',
  'const T = Trans; _jsx(T, { i18nKey: key })',
  '_jsx(Translation, { ns: N, children: (say) => say(key) })',
  'intl.formatMessage({ id: key })',
  'const { formatMessage: f } = intl; f({ id: key })',
  'const m = { id: key }; intl.formatMessage(m)',
  'const m = defineMessages({ a: { id: key } }); intl.formatMessage(m.a)',
  'const m = defineMessages({ a: { id: key } }); _jsx(FormattedMessage, { ...m.a })',
  '_jsx(FormattedMessage, { id: key })',
  '_ctx.$t(key)',
  '_unref(lib.t)(key)',
  'const $t = () => lib.t; $t()(key)',
  'own.t(N, key)',
  'const m = await load("en", N); m[key]',
  'const m = await load("en", N); const { [key]: one } = m',
  'const m = await load("en", N); const f = (x) => x[key]; f(m)',
  'load("en", N).then((m) => m[key])',
  'load("en", N).then(({ title }) => title)',
  'const { title, ...rest } = await load("en", N); rest[key]',
  'const m = await load("en", N); (() => m?.title)()',
  'const [m, n] = await Promise.all([load("en", N), load("en", "shop")]); m[key]; n.title',
  'const all = await loadLanguage("en"); all[N][key]',
  'const all = await loadLanguage("en"); Object.values(all)[0][key]',
  'const get = load; const m = await get("en", N); m[key]',
  'const box = { m: await load("en", N) }; box.m[key]',
  'const m = await translations.load("en", N); m[key]',
)

const statement = fc
  .record({ expression: text, hold: holding, ask: asking, place: namespace, prefix: path, nsAs: fc.nat(2) })
  .map(({ expression, hold, ask, place, prefix, nsAs }) => {
    const ns = [quote(place), `((NS) => NS)(${quote(place)})`, `(c ? ${quote(place)} : 'shop')`][nsAs] as string
    const asks = ask.replace(/\bN\b/g, () => ns).replace(/\bP\b/g, () => quote(prefix))
    const body = `${hold.replace('$', () => expression)}\n{\n${asks}\n}`
    return `{\n${body}\n}`
  })

const setup = fc.constantFrom(
  '',
  "i18n.init({ defaultNS: 'common', lng: 'en' })",
  "i18n.init({ ns: ['shop', 'common'], fallbackNS: 'views/main', lng: 'en' })",
  "const options = { defaultNS: 'common', fallbackNS: ['shop'] }; i18n.use({}).init(options)",
  'i18n.init(hidden)',
)

interface Asked {
  readonly namespace: string
  readonly key: string
}

/** The libraries, as far as asking goes. */
function createLibraries(asked: Asked[], values: { c: boolean; v: string; i: number }) {
  let defaults = ['default']
  let fallback: string[] = []
  const put = (namespaces: readonly string[], key: unknown) => {
    if (typeof key !== 'string') return
    const at = key.indexOf(':')
    const own = at > 0 && NAMESPACES.includes(key.slice(0, at))
    for (const namespace of own ? [key.slice(0, at)] : [...namespaces, ...fallback])
      asked.push({ namespace, key: own ? key.slice(at + 1) : key })
  }
  const translator = (namespaces?: string | readonly string[], prefix?: string) => {
    const say = (keys: unknown, ...more: unknown[]) => {
      const options = more.find((one) => typeof one === 'object' && one !== null) as { ns?: string } | undefined
      const at = options?.ns ?? namespaces ?? defaults
      for (const key of [keys].flat())
        if (typeof key === 'object' && key !== null) put([at].flat(), (key as { id: unknown }).id)
        else if (key !== undefined) put([at].flat(), prefix === undefined ? key : `${prefix}.${key}`)
      return 'text'
    }
    return say
  }
  const messages = (namespace: string) =>
    new Proxy<Record<string, unknown>>(
      {},
      {
        get(_, key) {
          if (key !== 'then' && typeof key === 'string') asked.push({ namespace, key })
          return undefined
        },
        // What spreads and rest elements copy is asked for by its copy: everything may be.
        ownKeys: () => {
          asked.push({ namespace, key: 'anything.at.all' })
          return []
        },
      },
    )
  const i18n = {
    init: (options: { defaultNS?: string; ns?: string[]; fallbackNS?: string | string[] }) => {
      defaults = [options.defaultNS ?? options.ns?.[0] ?? 'translation']
      fallback = [options.fallbackNS ?? []].flat()
    },
    use: () => i18n,
    t: (...given: [unknown, ...unknown[]]) => translator()(...given),
    exists: (...given: [unknown]) => translator()(...given),
    getFixedT: (_: string, ns?: string, prefix?: string) => translator(ns, prefix),
  }
  const useTranslation = (ns?: string | string[], options: { keyPrefix?: string } = {}) => {
    const t = translator(ns, options.keyPrefix)
    return Object.assign([t, i18n], { t, i18n })
  }
  const anywhere = (key: unknown) => {
    const id = typeof key === 'object' && key !== null ? (key as { id: unknown }).id : key
    put(NAMESPACES, id)
  }
  const load = async (_: string, namespace: string) => messages(namespace)
  const Trans = ({ i18nKey, ns, t }: { i18nKey: unknown; ns?: string; t?: (key: unknown) => void }) =>
    t && ns === undefined ? t(i18nKey) : translator(ns)(i18nKey)
  const Translation = ({ ns, children }: { ns: string; children: (t: unknown) => void }) => children(translator(ns))
  const FormattedMessage = ({ id }: { id: unknown }) => anywhere(id)
  const lib = { t: anywhere }
  return {
    ...values,
    none: undefined,
    pq: values.c ? 'p' : 'q',
    k: 'key',
    lookup: new Proxy({}, { get: (_, key) => `found.${String(key)}` }),
    changed: (object: object, q: string) => ({ ...object, q, p: `${q}.changed` }),
    fill: (object: { key: string }, key: string) => {
      object.key = key
    },
    K: (key: string) => key,
    t: anywhere,
    lib,
    _ctx: { $t: anywhere },
    _unref: (given: unknown) => given,
    useRef: (current: unknown) => ({ current }),
    own: { t: (namespace: string, key: unknown) => typeof key === 'string' && asked.push({ namespace, key }) },
    i18n,
    hidden: { defaultNS: 'views/main', fallbackNS: 'shop' },
    useTranslation,
    Trans,
    Translation,
    FormattedMessage,
    intl: { formatMessage: anywhere },
    defineMessages: (given: unknown) => given,
    _jsx: (component: (props: unknown) => void, props: unknown) => component(props),
    load,
    loadLanguage: async () => Object.fromEntries(NAMESPACES.map((name) => [name, messages(name)])),
    translations: { load },
  }
}

const IMPORTS = [
  "import { useTranslation, Trans, Translation } from 'react-i18next'",
  "import { FormattedMessage, defineMessages } from 'react-intl'",
  "import * as translations from 'virtual:translations'",
  "import { load, loadLanguage } from 'virtual:translations'",
  "import i18n from 'i18next'",
].join('\n')

test('no program asks for a key that does not count as used', async () => {
  let asks = 0
  let pruned = 0
  await fc.assert(
    fc.asyncProperty(
      setup,
      fc.oneof(
        { weight: 3, arbitrary: fc.tuple(statement) },
        { weight: 1, arbitrary: fc.array(statement, { minLength: 2, maxLength: 3 }) },
      ),
      fc.record({ c: fc.boolean(), v: fc.constantFrom('run', 'time', ''), i: fc.nat(1) }),
      async (before, statements, values) => {
        const program = `${before}\n${statements.join('\n')}`
        const asked: Asked[] = []
        const context = createContext(createLibraries(asked, values))
        try {
          await runInContext(`(async () => {\n${program}\n})()`, context)
        } catch (error) {
          // What a program asked for before it failed counts.
          if ((error as Error).name !== 'TypeError' && !/is not defined|early|start|other/.test(String(error)))
            throw error
        }
        const used = usedIn({ 'src/app.js': `${IMPORTS}\n${program}` }, { namespaces: NAMESPACES })
        const missing = asked.filter(
          ({ namespace, key }) => NAMESPACES.includes(namespace) && !used.isUsed(namespace, key),
        )
        asks += asked.length
        if (!used.isUsed('shop', 'never.asked')) pruned++
        expect({ missing, program }).toEqual({ missing: [], program })
      },
    ),
    { numRuns: repeats(80, 4000) },
  )
  // The programs do ask, and what is not asked for is not all kept.
  expect(asks).toBeGreaterThan(repeats(15, 1000))
  expect(pruned).toBeGreaterThan(repeats(3, 200))
})
