/** Runs beside every test file: a secret that got out anywhere fails the file. */
import { afterAll } from 'vitest'
import { takeLeaks, watchStream } from './canary.ts'

watchStream(process.stdout)
watchStream(process.stderr)

afterAll(() => {
  const leaks = takeLeaks()
  if (leaks.length > 0) throw new Error(`secrets got out:\n${leaks.join('\n')}`)
})
