/**
 * `npm run test:mutations` changes one operator, condition or value after the other in the code that decides about
 * data, and runs the unit tests that cover it. A change that no test notices survives. `.mutations/report.html` shows
 * all of them. Results are kept: another run tries only what changed since, `-- --force` everything.
 */
export default {
  testRunner: 'vitest',
  // Coverage selects the tests of each change. To look for related files would only take time.
  vitest: { configFile: 'vitest.mutations.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  mutate: [
    'src/sync/{decide,journal,outbox,page-texts,reader,records,report,stale,store,translation-sources}.ts',
    'src/catalog/{layers,merge}.ts',
    'src/files/{edit,add-keys,key-order,patterns,update}.ts',
    'src/files/formats/**/*.ts',
    'src/api/{attempts,failure,gate,hints,pace,retry}.ts',
  ],
  // What the tests read.
  ignorePatterns: [
    '**',
    '!src/**',
    '!test/{unit,helpers,fixtures}/**',
    '!docs/**',
    '!playground/locales/**',
    '!*.{json,ts}',
  ],
  incremental: true,
  incrementalFile: '.mutations/results.json',
  tempDirName: '.mutations/tmp',
  reporters: ['progress', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: '.mutations/report.html' },
  jsonReporter: { fileName: '.mutations/report.json' },
}
