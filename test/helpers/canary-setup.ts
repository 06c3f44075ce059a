/** Runs beside every test file: closes what its hooks started, and fails the file where a secret got out. */
import { afterAll } from 'vitest'
import { takeLeaks, watchStream } from './canary.ts'
import { closeFile } from './closing.ts'

watchStream(process.stdout)
watchStream(process.stderr)

afterAll(async () => {
  await closeFile()
  const leaks = takeLeaks()
  if (leaks.length > 0) throw new Error(`secrets got out:\n${leaks.join('\n')}`)
})
