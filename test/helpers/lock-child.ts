/** A process that takes the lock of a folder as a command does, and keeps it until it is killed: `lock-child.ts <root>`. */
import { createSyncLock } from '../../src/sync/lock.ts'

await createSyncLock(process.argv[2] ?? '').borrow(new AbortController().signal, ({ isCommand }) => {
  if (isCommand) process.stdout.write('waiting\n')
})
process.stdout.write('held\n')
setInterval(() => {}, 60_000)
