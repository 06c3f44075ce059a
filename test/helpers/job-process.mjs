// The process behind `startJobs` in `job-process.ts`: its first argument is a module that exports `work(input)`.

import { pathToFileURL } from 'node:url'

const { work } = await import(pathToFileURL(process.argv[2]).href)
const home = process.cwd()
let isWorking = false

process.on('disconnect', () => process.exit())
process.on('message', async ({ input, cwd, env }) => {
  isWorking = true
  // Bun keeps the last code where it is made `undefined`.
  process.exitCode = 0
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name]
  Object.assign(process.env, env)
  process.channel.unref()
  await work(input).catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
})

// A process of its own would end now: what a job leaves running belongs to it.
process.on('beforeExit', () => {
  process.channel?.ref()
  if (!isWorking) return
  isWorking = false
  process.chdir(home)
  process.stdout.write('\0')
  process.stderr.write('\0')
  process.send(process.exitCode ?? 0)
})
