/** The tests that touch paths, files, patterns, locks and addresses: what runs on Windows and macOS, and under Wine. */
export const SYSTEM_TESTS = [
  'systems/*',
  'mocked/{files,shared}/*',
  'unit/{files,report,shared}/**/*',
  'unit/api/{address,resources}',
  'unit/config/{env,find,load}',
  'unit/output/{ids,module-paths}',
  'unit/plugin/{private-files,session-root}',
  'unit/service/lock',
  'unit/sync/{base-store,lock,stores}',
  'unit/usage/paths',
].map((test) => `test/${test}.test.ts`)
