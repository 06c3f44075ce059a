// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/**
 * The names that the statements of generated programs use. With `isData`, they may be passed as arguments. In the order
 * of their declarations.
 */
export const DECLARED: Readonly<Record<string, { readonly isData?: true; readonly code: string }>> = {
  TEXT2: { code: "const TEXT2 = '§'" },
  kept1: { code: 'const kept1 = []' },
  hooks: { code: 'const hooks = []' },
  Item: {
    code: `class Item {
  static first = new Item('§')
  title = '§'
  constructor(label) { this.label = label; this.sub = { label: '§', title: '§' } }
  change(to) { this.<P> = to }
  onChange = (to) => { this.<P> = to }
  copyTo(other) { other.<P> = this.label }
}`,
  },
  Special: {
    code: "class Special extends Item { constructor(label) { super('§'); this.title = label; this.change('§') } }",
  },
  text1: { code: 'let text1 = <Z>' },
  rec3: { code: 'let rec3 = <I>' },
  rec1: { isData: true, code: 'const rec1 = <I>' },
  rec2: { isData: true, code: 'const rec2 = <I>' },
  rows1: { isData: true, code: 'const rows1 = <rows>' },
  keys1: { isData: true, code: 'const keys1 = <keys>' },
  map1: { isData: true, code: "const map1 = new Map([['m', <I>], ['n', <I>]])" },
  set1: { isData: true, code: 'const set1 = new Set([<I>, <I>])' },
  table1: { isData: true, code: 'const table1 = { a: <I>, b: <I> }' },
  tree1: { isData: true, code: "const tree1 = { label: '§', children: [{ label: '§', children: [] }] }" },
  holder1: {
    isData: true,
    code: `const holder1 = {
  deep: { record: <I> },
  list: [<I>],
  change(to) { this.list[0].<P> = to; this.deep.record.<P> = to },
}`,
  },
  store1: { code: 'const store1 = pkg.create(<I>)' },
  lists: { isData: true, code: 'const lists = { rows: [<I>] }' },
  cache: { code: 'const cache = {}' },
  lib: { code: 'const lib = { t }' },
  actions: { code: 'const actions = { act(o) { o.<P> = <S> }, other(o) { o.title = <S> } }' },
  setRec3: { code: 'function setRec3(to) { rec3 = to }' },
  setText1: { code: 'function setText1(to) { text1 = to }' },
  texts: { code: "function texts() { if (c) return '§'; return '§' }" },
  make: { code: "function make(label) { return { label, title: '§', sub: { label: '§', title: '§' } } }" },
  give: { code: 'function give() { return <R> }' },
  same: { code: 'function same(given) { return given }' },
  own: { code: 'const own = (given) => given' },
  labelOf: { code: 'const labelOf = ({ label }) => label' },
  show: { code: 'function show(given) { return t(given.label) }' },
  cached: {
    code: "function cached(name) { return (cache[name] ??= { label: '§', title: '§', sub: { label: '§' } }) }",
  },
  extend: { code: 'function extend(to, from) { for (const k in from) to[k] = from[k]; return to }' },
  setIn: {
    code: "function setIn(o, path, to) { const [name, ...rest] = path.split('.'); if (rest.length) setIn(o[name], rest.join('.'), to); else o[name] = to }",
  },
  update: { code: 'function update(o) { o.<P> = <S>; return { ...o } }' },
  with1: { code: 'const with1 = (given) => (work) => work(given)' },
  rename: { code: 'function rename(o) { <M> }' },
  swap: { code: 'function swap(a, b) { [a.label, b.label] = [b.label, a.label] }' },
  on: { code: 'function on(hook) { hooks.push(hook) }' },
  fire: { code: 'function fire() { for (const hook of hooks.splice(0)) hook() }' },
  listen: { code: 'const listen = (hook) => hooks.push(hook)' },
  tell: { code: 'const tell = (given) => hooks.forEach((hook) => hook(given))' },
}
