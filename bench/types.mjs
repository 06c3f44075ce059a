/**
 * What the generated declaration costs tsc: 100,000 keys with 1,000 calls that are checked against them, beside an empty project and beside
 * i18next's own typed resources (`typeof import('./common.json')`), in turns.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { printMachine, printTable, ratio, readArguments, seconds, tenth, whole } from './lib/print.mjs'
import { removeFolder, tempFolder } from './lib/processes.mjs'
import { median } from './lib/stats.mjs'

const { smoke } = readArguments()
const NAMESPACES = smoke ? 2 : 40
const KEYS = smoke ? 20 : 2_500
const CALLS = smoke ? 10 : 1_000
const ROUNDS = smoke ? 1 : 3

const repository = join(import.meta.dirname, '..')
const tsc = join(repository, 'node_modules/typescript/bin/tsc')
const folder = tempFolder()

const namespaceOf = (i) => (i === 0 ? 'common' : `views/part${i}`)
const keyOf = (i) => `section${i % 50}.item${i}`
const textOf = (i) =>
  i % 5 === 0 ? 'Hello {{name}}' : i % 7 === 0 ? '{count, plural, one {# item} other {# items}}' : 'Text'
const valuesOf = (i) => (i % 5 === 0 ? ", { name: 'Ada' }" : i % 7 === 0 ? ', { count: 3 }' : '')

function write(name, content) {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

for (let n = 0; n < NAMESPACES; n++) {
  const messages = Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [keyOf(i), textOf(i)]))
  write(`locales/en/${namespaceOf(n)}.json`, messages)
}
write('package.json', { type: 'module' })
write('localization.config.json', {
  defaultNamespace: 'common',
  types: { file: 'localization.d.ts', i18next: true },
})
mkdirSync(join(folder, 'node_modules'))
symlinkSync(repository, join(folder, 'node_modules/unplugin-localization'))
symlinkSync(join(repository, 'node_modules/i18next'), join(folder, 'node_modules/i18next'))

const calls = (call) => Array.from({ length: CALLS }, (_, i) => call(namespaceOf(i % NAMESPACES), i % KEYS)).join('\n')
const i18nextCalls = `import i18next from 'i18next'\n${calls((namespace, i) => `i18next.t('${namespace}:${keyOf(i)}'${valuesOf(i)})`)}\n`
write('empty.ts', 'export {}\n')
write(
  'ours.ts',
  `import type { Translate } from 'virtual:translations'\ndeclare const t: Translate\n${calls((namespace, i) => `t('${namespace}', '${keyOf(i)}'${valuesOf(i)})`)}\n`,
)
write('i18next.ts', i18nextCalls)
const resources = Array.from(
  { length: NAMESPACES },
  (_, n) => `'${namespaceOf(n)}': typeof import('./locales/en/${namespaceOf(n)}.json')`,
)
write(
  'i18next-own.d.ts',
  `import 'i18next'\ndeclare module 'i18next' {\n  interface CustomTypeOptions {\n    defaultNS: 'common'\n    resources: { ${resources.join('; ')} }\n  }\n}\n`,
)

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
  const startedAt = performance.now()
  const output = execFileSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
  const ms = performance.now() - startedAt
  const figure = (name) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1])
  return { ms, check: figure('Check time') * 1000, memory: figure('Memory used') / 1024 }
}

/** A comparison of what is not checked says nothing. */
function assertChecked({ name, files, wrong }) {
  const source = readFileSync(join(folder, wrong), 'utf8')
  write(wrong, source.replace(".item1'", ".nothing'"))
  try {
    compile({ files })
  } catch {
    return
  } finally {
    write(wrong, source)
  }
  throw new Error(`${name}: a wrong key went through`)
}

try {
  printMachine()
  const startedAt = performance.now()
  execFileSync(process.execPath, [join(repository, 'dist/cli.js'), 'types', '--quiet'], { cwd: folder })
  const generated = performance.now() - startedAt
  const size = statSync(join(folder, 'localization.d.ts')).size
  console.log(
    `${whole(NAMESPACES * KEYS)} keys in ${NAMESPACES} namespaces, ${whole(CALLS)} calls; \`localization types\` took ${seconds(generated)} s for ${tenth(size / 2 ** 20)} MB`,
  )
  for (const project of PROJECTS) if (project.wrong) assertChecked(project)
  const samples = PROJECTS.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, project] of PROJECTS.entries()) samples[i].push(compile(project))
  }
  const of = (i, what) => median(samples[i].map((sample) => sample[what]))
  printTable(
    `tsc, the median of ${ROUNDS}`,
    ['project', 'seconds', 'more than empty', 'checking, s', 'MB', 'times the empty one'],
    PROJECTS.map(({ name }, i) => [
      name,
      seconds(of(i, 'ms')),
      seconds(of(i, 'ms') - of(0, 'ms')),
      seconds(of(i, 'check')),
      whole(of(i, 'memory')),
      ratio(of(i, 'ms'), of(0, 'ms')),
    ]),
  )
} finally {
  removeFolder(folder)
}
