/** Runs beside every test file: a secret that got out anywhere fails the file; where the project says so, it is only printed. */
import { afterAll } from 'vitest'
import { takeLeaks, watchStream } from './canary.ts'

watchStream(process.stdout)
watchStream(process.stderr)

afterAll(() => {
  const leaks = takeLeaks()
  if (leaks.length === 0) return
  const message = `secrets got out:\n${leaks.join('\n')}`
  if (process.env.CANARY === 'print') process.stdout.write(`${message}\n`)
  else throw new Error(message)
})
