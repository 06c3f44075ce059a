/** Runs beside every test file: says which tests CI looked at twice. */
import { beforeEach } from 'vitest'

beforeEach(({ task }) => {
  if ((task.result?.retryCount ?? 0) > 0) process.stdout.write(`second try: ${task.file.name} > ${task.name}\n`)
})
