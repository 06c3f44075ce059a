/** A process that takes the lock of a folder and keeps it until it is killed: `lock-child.ts <root>`. */
import { createSyncLock } from '../../src/sync/lock.ts'

process.stdout.write(`${await createSyncLock(process.argv[2] ?? '').acquire()}\n`)
setInterval(() => {}, 60_000)
