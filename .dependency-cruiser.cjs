/**
 * The import rules, as a lint. Data flows one way: a directory imports only directories above it.
 *
 *   read:   config -> api -> catalog -> sources -> output -> plugin -> entries
 *   write:  files -> catalog -> sync -> api
 */
const { exports: entries } = require('./package.json')

/** The directories of src/ that each directory may import. Every directory may import errors.ts, logger.ts and shared/. */
const MAY_IMPORT = {
  config: [],
  api: ['config'],
  catalog: ['config'],
  files: ['config', 'catalog'],
  sources: ['config', 'api', 'catalog', 'files'],
  local: ['config', 'api', 'catalog', 'files', 'sources'],
  output: ['config', 'catalog'],
  usage: ['config', 'catalog', 'files', 'output'],
  sync: ['config', 'api', 'catalog', 'files'],
  report: [],
  inspector: ['config', 'api', 'catalog', 'files', 'usage', 'sync', 'report'],
  plugin: ['config', 'api', 'catalog', 'files', 'sources', 'local', 'output', 'usage', 'sync', 'report', 'inspector'],
  generate: ['config', 'catalog', 'files', 'output', 'usage', 'sync', 'plugin'],
  release: ['config', 'catalog', 'output', 'sync', 'plugin'],
  next: ['files', 'output', 'inspector', 'plugin', 'generate'],
  cli: [
    'config',
    'api',
    'catalog',
    'files',
    'sources',
    'local',
    'output',
    'usage',
    'sync',
    'inspector',
    'service',
    'generate',
    'release',
  ],
}

const DIRECTORIES = [...Object.keys(MAY_IMPORT), 'service']

/** One file of another directory that may be imported all the same. */
const BUNDLER_TABLE = '^src/plugin/bundlers\\.ts$'

const within = (names) => `^src/(?:${names.join('|')})(?:/|$)`

const ENTRIES = [...Object.keys(entries).map((subpath) => subpath.slice(2) || 'index'), 'cli']

module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Modules that need each other are one module, or hide a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shared-imports-no-feature',
      comment: 'shared, errors and logger know no feature.',
      severity: 'error',
      from: { path: '^src/(?:shared/|errors\\.ts|logger\\.ts)' },
      to: { path: '^src/', pathNot: '^src/(?:shared/|errors\\.ts|logger\\.ts)' },
    },
    ...Object.entries(MAY_IMPORT).map(([directory, allowed]) => ({
      name: `${directory}-imports-only-directories-above-it`,
      severity: 'error',
      from: { path: `^src/${directory}/` },
      to: {
        path: within(DIRECTORIES),
        pathNot: [within([directory, ...allowed]), ...(directory === 'cli' ? [BUNDLER_TABLE] : [])],
        // The local service is started lazily.
        ...(['plugin', 'local'].includes(directory) && { dependencyTypesNot: ['dynamic-import'] }),
      },
    })),
    {
      name: 'usage-knows-libraries-by-their-port',
      comment: 'Module traversal and value flow know no library by name: the table of libraries is the only way in.',
      severity: 'error',
      from: { path: '^src/usage/(?!libraries/|analyze\\.ts)' },
      to: { path: '^src/usage/libraries/', pathNot: '^src/usage/libraries/library\\.ts$' },
    },
    {
      name: 'service-shares-schemas-only',
      comment:
        'So that a mistake in the client shows against the service, they share the wire schemas and nothing else.',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: within(DIRECTORIES), pathNot: '^src/(?:service/|api/schemas\\.ts)' },
    },
    {
      name: 'directories-import-no-entry',
      comment: 'Entries are for users. The plugin loads the service through its entry, lazily.',
      severity: 'error',
      from: { path: within(DIRECTORIES) },
      to: {
        path: `^src/(?:${ENTRIES.join('|')})\\.ts$`,
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'runtime-is-browser-safe',
      comment: 'The only code that generated modules import: one file that imports nothing else.',
      severity: 'error',
      from: { path: '^src/(?:runtime\\.ts$|output/runtime/)' },
      to: { path: '.', pathNot: '^src/output/runtime/' },
    },
    {
      name: 'glue-is-browser-safe',
      comment:
        'Code that runs in the page beside a library imports types and each other: it loads nothing at run time.',
      severity: 'error',
      from: { path: '^src/(?:output/glue/|(?:i18next|vue-i18n|react-intl)\\.ts)' },
      to: { path: '.', pathNot: '^src/output/glue/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'undici-in-transport-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/api/(?:transport|proxy)\\.ts$' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'bundlers-in-plugin-and-entries-only',
      severity: 'error',
      from: { path: within(DIRECTORIES.filter((name) => name !== 'plugin')) },
      to: { path: 'node_modules/(?:unplugin|vite|rollup|rolldown|webpack|@rspack|esbuild|@farmfe)/' },
    },
    {
      name: 'pure-directories-do-no-io',
      comment: 'output, catalog and the retry policy do no I/O and read no clock and no environment.',
      severity: 'error',
      from: { path: '^src/(?:output/|catalog/|api/retry\\.ts)' },
      to: { path: '^(?:node:)?(?:fs|net|http|https|child_process|process|timers|worker_threads)(?:/|$)' },
    },
    {
      name: 'declared-dependencies-only',
      comment: 'What ships imports only what package.json promises.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
    {
      name: 'no-dev-dependency-at-run-time',
      severity: 'error',
      // The inspector's page is bundled into the package with what it uses; so are these, but `pg`: an optional peer.
      from: { path: '^src/', pathNot: '^src/inspector/page/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot:
          'node_modules/(@clack/prompts|@jridgewell/sourcemap-codec|launch-editor|magic-string|pg|picomatch|unplugin|zod)/',
      },
    },
    {
      name: 'inspector-page-is-browser-safe',
      comment: 'Code that runs in the browser imports only types of the package, and the few pure modules it shares.',
      severity: 'error',
      from: { path: '^src/inspector/page/' },
      to: {
        path: '.',
        pathNot: [
          '^src/inspector/(?:page/|plural-examples\\.ts$)',
          '^src/catalog/(?:plurals|text-id)\\.ts$',
          '^src/shared/(?:figures|word-diff)\\.ts$',
          'node_modules/preact/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'inspector-page-is-prebuilt',
      comment: 'Loaded from dist/inspector when it is opened: no module of the package imports it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/inspector/page/' },
      to: { path: '^src/inspector/page/' },
    },
    { name: 'resolvable', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
}
