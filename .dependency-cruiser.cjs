/**
 * The house's import rules (data flows one way; a room imports only rooms to its left), as a lint.
 *
 *   read:   config -> api -> catalog -> sources -> output -> plugin -> entries
 *   write:  files -> catalog -> sync -> api
 */

/** For each room, the rooms under src/ it may import. Everything may import errors.ts, logger.ts and shared/. */
const MAY_IMPORT = {
  config: [],
  api: ['config'],
  catalog: ['config'],
  files: ['config', 'catalog'],
  sources: ['config', 'api', 'catalog', 'files'],
  output: ['config', 'catalog'],
  usage: ['config', 'catalog', 'output'],
  sync: ['config', 'api', 'catalog', 'files'],
  inspector: ['config', 'api', 'catalog', 'files', 'sync'],
  plugin: ['config', 'api', 'catalog', 'files', 'sources', 'output', 'usage', 'sync', 'inspector'],
  cli: ['config', 'api', 'catalog', 'files', 'sources', 'output', 'usage', 'sync', 'service'],
}

const ROOMS = [...Object.keys(MAY_IMPORT), 'service']

const rooms = (names) => `^src/(?:${names.join('|')})(?:/|$)`

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
      name: 'ground-imports-no-feature',
      comment: 'shared, errors and logger know no feature.',
      severity: 'error',
      from: { path: '^src/(?:shared/|errors\\.ts|logger\\.ts)' },
      to: { path: '^src/', pathNot: '^src/(?:shared/|errors\\.ts|logger\\.ts)' },
    },
    ...Object.entries(MAY_IMPORT).map(([room, allowed]) => ({
      name: `${room}-imports-only-rooms-to-its-left`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: {
        path: rooms(ROOMS),
        pathNot: rooms([room, ...allowed]),
        // The plugin may start the local service, lazily.
        ...(room === 'plugin' && { dependencyTypesNot: ['dynamic-import'] }),
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
      to: { path: rooms(ROOMS), pathNot: '^src/(?:service/|api/schemas\\.ts)' },
    },
    {
      name: 'rooms-import-no-entry',
      comment: 'Entries are for users. The plugin loads the service through its entry, lazily.',
      severity: 'error',
      from: { path: rooms(ROOMS) },
      to: {
        path: '^src/(?:index|vite|rollup|rolldown|webpack|rspack|esbuild|farm|client|service|cli|runtime|i18next|vue-i18n|react-intl)\\.ts$',
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
      comment: 'What runs in the page beside a library: types and each other, nothing to load at run time.',
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
      from: { path: rooms(ROOMS.filter((room) => room !== 'plugin')) },
      to: { path: 'node_modules/(?:unplugin|vite|rollup|rolldown|webpack|@rspack|esbuild|@farmfe)/' },
    },
    {
      name: 'pure-rooms-do-no-io',
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
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
    {
      name: 'no-dev-dependency-at-run-time',
      severity: 'error',
      // The inspector's page is bundled into the package with what it uses; so are these.
      from: { path: '^src/', pathNot: '^src/inspector/page/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(@jridgewell/sourcemap-codec|magic-string|picomatch|unplugin|zod)/',
      },
    },
    {
      name: 'inspector-page-is-browser-safe',
      comment: 'What runs in the browser takes nothing of the house but types.',
      severity: 'error',
      from: { path: '^src/inspector/page/' },
      to: {
        path: '.',
        pathNot: '^src/inspector/page/|node_modules/preact/',
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
