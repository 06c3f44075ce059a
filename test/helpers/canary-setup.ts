/** Runs beside every test file: removes its folders, and fails the file where a secret got out. */
import { afterAll } from 'vitest'
import { takeLeaks, watchStream } from './canary.ts'
import { removeFileFolders } from './temp.ts'

watchStream(process.stdout)
watchStream(process.stderr)

afterAll(async () => {
  await removeFileFolders()
  const leaks = takeLeaks()
  if (leaks.length > 0) throw new Error(`secrets got out:\n${leaks.join('\n')}`)
})
