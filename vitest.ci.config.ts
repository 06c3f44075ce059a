import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { postgresPrograms } from './test/helpers/postgres.ts'
import { builtProject, IN_CHROMIUM, project } from './vitest.config.ts'

/** Of what `npm test` runs a sample, all of it: each bundler with each catalog, base, format and edit. */
const WHOLE = [
  'test/browser/{compiled-messages,glue-examples,inspector,inspector-edit,inspector-looks}.test.ts',
  'test/browser/live.test.ts',
  'test/browser/{playground,prebuilt-addresses,route-texts}.test.ts',
  'test/bundlers/!(next-config|warm-build).test.ts',
  'test/cli/{headlamp,interrupt,release,round-trip}.test.ts',
  'test/contract/{client-any-answer,conditional-writes}.test.ts',
  'test/contract/service-{durable,malformed,through-client,transfer}.test.ts',
  'test/dev/{config-edits,config-notice,page-updates,server-texts,vanished-file}.test.ts',
  'test/dev/sync-engine.test.ts',
  'test/faults/row-{07,11,13,17,29}-*.test.ts',
  'test/frameworks/{catalogs,next}.test.ts',
  'test/package/{bundlers,consumer-types,docs,supply-chain}.test.ts',
  'test/programs/prune.test.ts',
]

/** What `npm test` runs with one bundler of each kind, or as a sample of its cases: here with the others. */
const OTHER_BUNDLERS = [
  'test/browser/{compiled-messages,glue-examples,live,prebuilt-addresses,route-texts}.test.ts',
  'test/bundlers/live-server.test.ts',
  'test/bundlers/{catalogs,compile,formats,glue,large-catalog,load-once,missing-key,modules,options}.test.ts',
  'test/bundlers/{prebuilt-chunks,prune,prune-chunks,prune-chunks-outputs,secret-scan,shapes,types,values}.test.ts',
  'test/dev/{config-edits,config-notice,page-updates,server-texts,vanished-file}.test.ts',
  'test/faults/row-{13,17,21,22,29}-*.test.ts',
]

/** No edit is lost: with all orders, sizes, speeds, kills and disks. */
const DATA_SAFETY = [
  project('data-safety', 600_000, {
    include: ['test/dev/{sync-faults,sync-model,translators}.test.ts'],
    env: { THOROUGH: '1' },
    isolate: false,
  }),
  builtProject('data-faults', 600_000, {
    include: ['test/faults/row-{01,18,19,21,22,25,26,28}-*.test.ts'],
    env: { THOROUGH: '1' },
    isolate: false,
    globalSetup: ['test/helpers/fault-table.ts'],
  }),
]

/** The unit tests of which `npm test` runs a sample of the cases: here all of them. */
const SAMPLED_UNITS = readdirSync(`${import.meta.dirname}/test/unit`, { recursive: true, encoding: 'utf8' })
  .map((file) => `test/unit/${file}`)
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8').includes('/repeats.ts'))

/** The suites that run against every bundler: here with Bun, in Bun. */
const BUN = 'test/bundlers/{catalogs,compile,formats,modules,options,prebuilt-chunks,secret-scan,shapes,values}.test.ts'

/** The contract on PostgreSQL: all tests of services but those about files of data and about processes. */
const ON_POSTGRES = project('postgres', 120_000, {
  include: ['test/postgres/**/*.test.ts', 'test/contract/**/*.test.ts'],
  exclude: ['test/contract/service-{backup,durable,full-disk,malformed,other-programs,serve}.test.ts'],
  globalSetup: ['test/helpers/postgres.ts'],
  isolate: false,
})
const hasPostgres = postgresPrograms() !== undefined
if (!hasPostgres) console.log('tests on PostgreSQL skipped: it is not installed (Debian: apt-get install postgresql)')

/**
 * The projects that install other packages or take long: `.ci/run` runs them, `npm test` does not. `thorough` takes
 * longer than all others: it runs every night and before a release. All of them test `dist`: build first.
 * The results of `compatibility` are the table of `docs/compatibility.md`.
 */
export default defineConfig({
  test: {
    projects: [
      builtProject('thorough', 600_000, {
        include: WHOLE,
        env: { THOROUGH: '1', FRAMEWORKS: 'all' },
        isolate: false,
        globalSetup: ['test/helpers/fault-table.ts'],
        ...IN_CHROMIUM,
      }),
      builtProject('other-bundlers', 600_000, {
        include: OTHER_BUNDLERS,
        env: { BUNDLERS: 'others' },
        isolate: false,
        globalSetup: ['test/helpers/fault-table.ts'],
        ...IN_CHROMIUM,
      }),
      ...DATA_SAFETY,
      project('units', 600_000, { include: SAMPLED_UNITS, env: { THOROUGH: '1' }, isolate: false }),
      builtProject('programs', 600_000),
      builtProject('installed', 300_000, IN_CHROMIUM),
      builtProject('frameworks', 600_000, IN_CHROMIUM),
      builtProject('site', 600_000, IN_CHROMIUM),
      builtProject('bun', 600_000, { include: [BUN], env: { BUNDLERS: 'bun' }, isolate: false }),
      builtProject('benchmarks', 300_000),
      ...(hasPostgres ? [ON_POSTGRES] : []),
      builtProject('compatibility', 600_000, {
        env: { NODE_ENV: 'production' },
        isolate: false,
        ...IN_CHROMIUM,
        globalSetup: ['test/helpers/compatibility-table.ts'],
      }),
    ],
    maxWorkers: 2,
  },
})
