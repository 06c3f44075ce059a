/**
 * What the generated declaration costs tsc: 10,000 and 100,000 keys with 100 calls that are checked against them,
 * beside an empty project and beside
 * i18next's own typed resources (`typeof import('./common.json')`), in turns. Selectors are measured with all keys and, for
what i18next's types take themselves, with only the keys that the calls name.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { printMachine, printTable, ratio, readArguments, seconds, tenth, whole } from './lib/print.mjs'
import { removeFolder, tempFolder } from './lib/processes.mjs'
import { median } from './lib/stats.mjs'

const { smoke } = readArguments()
const NAMESPACES = smoke ? 2 : 40
/** In each namespace. */
const SIZES = smoke ? [20] : [250, 2_500]
const CALLS = smoke ? 10 : 100
const ROUNDS = smoke ? 1 : 3
/** Longer than this no editor waits: it is given up. */
const LIMIT_MS = 180_000

const repository = join(import.meta.dirname, '..')
const tsc = join(repository, 'node_modules/typescript/bin/tsc')

const namespaceOf = (i) => (i === 0 ? 'common' : `views/part${i}`)
const keyOf = (i) => `section${i % 50}.item${i}`
const textOf = (i) =>
  i % 5 === 0 ? 'Hello {{name}}' : i % 7 === 0 ? '{count, plural, one {# item} other {# items}}' : 'Text'
const valuesOf = (i) => (i % 5 === 0 ? ", { name: 'Ada' }" : i % 7 === 0 ? ', { count: 3 }' : '')

let folder

function write(name, content) {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

/** Fills the folder with a project of that many keys in each namespace. */
function prepare(keys) {
  for (let n = 0; n < NAMESPACES; n++) {
    const messages = Object.fromEntries(Array.from({ length: keys }, (_, i) => [keyOf(i), textOf(i)]))
    write(`locales/en/${namespaceOf(n)}.json`, messages)
  }
  write('package.json', { type: 'module' })
  write('localization.config.json', {
    defaultNamespace: 'common',
    types: { file: 'localization.d.ts', i18next: true },
  })
  write('selector.config.json', {
    defaultNamespace: 'common',
    types: { file: 'selector.d.ts', i18next: 'selector' },
  })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(repository, join(folder, 'node_modules/unplugin-localization'))
  symlinkSync(join(repository, 'node_modules/i18next'), join(folder, 'node_modules/i18next'))

  const calls = (call) =>
    Array.from({ length: CALLS }, (_, i) => call(namespaceOf(i % NAMESPACES), i % keys)).join('\n')
  const i18nextCalls = `import i18next from 'i18next'\n${calls((namespace, i) => `i18next.t('${namespace}:${keyOf(i)}'${valuesOf(i)})`)}\n`
  write('empty.ts', 'export {}\n')
  write(
    'ours.ts',
    `import type { Translate } from 'virtual:translations'\ndeclare const t: Translate\n${calls((namespace, i) => `t('${namespace}', '${keyOf(i)}'${valuesOf(i)})`)}\n`,
  )
  write('i18next.ts', i18nextCalls)
  const optionsOf = (namespace, i) =>
    [...(namespace === 'common' ? [] : [`ns: '${namespace}'`]), ...valuesOf(i).matchAll(/\w+: [^ }]+/g)].join(', ')
  const selectorCalls = calls((namespace, i) => {
    const options = optionsOf(namespace, i)
    return `i18next.t($ => $.${keyOf(i)}${options === '' ? '' : `, { ${options} }`})`
  })
  write('selector.ts', `import i18next from 'i18next'\n${selectorCalls}\n`)
  write('few.d.ts', selectorsOfCalls(keys))
  const resources = Array.from(
    { length: NAMESPACES },
    (_, n) => `'${namespaceOf(n)}': typeof import('./locales/en/${namespaceOf(n)}.json')`,
  )
  write(
    'i18next-own.d.ts',
    `import 'i18next'\ndeclare module 'i18next' {\n  interface CustomTypeOptions {\n    defaultNS: 'common'\n    resources: { ${resources.join('; ')} }\n  }\n}\n`,
  )
}

/** Trees of the keys that the calls name, and of no other key. */
function selectorsOfCalls(keys) {
  const trees = {}
  for (let i = 0; i < CALLS; i++) {
    const [section, item] = keyOf(i % keys).split('.')
    const namespace = namespaceOf(i % NAMESPACES)
    trees[namespace] ??= {}
    trees[namespace][section] = { ...trees[namespace][section], [item]: 'string' }
  }
  const resources = JSON.stringify(trees).replaceAll('"string"', 'string')
  const options = `enableSelector: 'optimize'; defaultNS: 'common'; resources: ${resources}`
  return `import 'i18next'\ndeclare module 'i18next' { interface CustomTypeOptions { ${options} } }\n`
}

const PROJECTS = [
  { name: 'an empty project', files: ['empty.ts'] },
  { name: 'this declaration', files: ['localization.d.ts', 'ours.ts'], wrong: 'ours.ts' },
  { name: 'i18next, no types of texts', files: ['i18next.ts'] },
  { name: 'i18next, its own typed resources', files: ['i18next-own.d.ts', 'i18next.ts'], wrong: 'i18next.ts' },
  {
    name: 'i18next, typed by this declaration',
    files: ['localization.d.ts', 'localization.i18next.d.ts', 'i18next.ts'],
    wrong: 'i18next.ts',
  },
  { name: "selectors, only the calls' keys", files: ['few.d.ts', 'selector.ts'], wrong: 'selector.ts' },
  {
    name: 'selectors, typed by this declaration',
    files: ['selector.d.ts', 'selector.i18next.d.ts', 'selector.ts'],
    wrong: 'selector.ts',
  },
]

function compile({ files }) {
  write('tsconfig.json', {
    compilerOptions: {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'ES2023',
      lib: ['ES2023', 'DOM'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      resolveJsonModule: true,
      types: [],
    },
    files,
  })
  const { stdout, status, signal } = spawnSync(
    process.execPath,
    ['--import', CPU_METER, tsc, '-p', folder, '--extendedDiagnostics'],
    { encoding: 'utf8', timeout: LIMIT_MS },
  )
  const figure = (pattern) => Number(pattern.exec(stdout)?.[1])
  return {
    errors: signal === null && status !== 0,
    cpuMs: figure(/^cpu (\d+)/m),
    memory: figure(/^Memory used:\s+(\d+)K/m) / 1024,
  }
}

/** Work, not waiting: other programs disturb it least. */
const CPU_METER = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log('cpu ' + Math.round((user + system) / 1000)) })",
)}`

/** A comparison of what is not checked says nothing. */
function assertChecked({ name, files, wrong }) {
  const source = readFileSync(join(folder, wrong), 'utf8')
  write(wrong, source.replace(/\.item1(?!\d)/, '.nothing'))
  const { errors } = compile({ files })
  write(wrong, source)
  if (errors) return
  throw new Error(`${name}: a wrong key went through`)
}

printMachine()
for (const keys of SIZES) {
  folder = tempFolder()
  try {
    measure(keys)
  } finally {
    removeFolder(folder)
  }
}

function measure(keys) {
  prepare(keys)
  const startedAt = performance.now()
  execFileSync(process.execPath, [join(repository, 'dist/cli.js'), 'types', '--quiet'], { cwd: folder })
  const generated = performance.now() - startedAt
  const selectorTypes = ['types', '--config', 'selector.config.json', '--quiet']
  execFileSync(process.execPath, [join(repository, 'dist/cli.js'), ...selectorTypes], { cwd: folder })
  const size = statSync(join(folder, 'localization.d.ts')).size
  if (smoke) for (const project of PROJECTS) if (project.wrong) assertChecked(project)
  const samples = PROJECTS.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, project] of PROJECTS.entries()) {
      // What was given up once is not tried again.
      if (samples[i].some(({ cpuMs }) => Number.isNaN(cpuMs))) continue
      const sample = compile(project)
      if (sample.errors) throw new Error(`${project.name}: errors`)
      samples[i].push(sample)
    }
  }
  const of = (i, what) => median(samples[i].map((sample) => sample[what]))
  printTable(
    `${whole(NAMESPACES * keys)} keys in ${NAMESPACES} namespaces, ${CALLS} calls; \`localization types\`: ${seconds(generated)} s, ${tenth(size / 2 ** 20)} MB; tsc, the median of ${ROUNDS}; -: given up after ${LIMIT_MS / 1000} s`,
    ['project', 'CPU, s', 'more than empty', 'times the empty one', 'MB'],
    PROJECTS.map(({ name }, i) => [
      name,
      seconds(of(i, 'cpuMs')),
      seconds(of(i, 'cpuMs') - of(0, 'cpuMs')),
      ratio(of(i, 'cpuMs'), of(0, 'cpuMs')),
      whole(of(i, 'memory')),
    ]),
  )
}
