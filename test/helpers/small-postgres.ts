/** A PostgreSQL server whose data or log of writes lies on a small disk of its own. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { postgresPrograms } from './postgres.ts'
import { startProcess } from './processes.ts'
import { tempFolder } from './temp.ts'
import { freePort } from './throwaway-server.ts'

/** In a namespace of its own, as a user that is not root there: PostgreSQL refuses root. */
const SHELL = `
  mount -t tmpfs -o size=$1,mode=777 tmpfs "$2" && exec unshare -U --map-user=1000 --map-group=1000 sh`

/** `part`: what lies on the small disk. Ends with the running test; `noMounts` of `small-disk.ts` says where it cannot. */
export async function startSmallPostgres(part: 'data' | 'wal', size: string) {
  const bin = postgresPrograms() ?? ''
  const folder = await tempFolder()
  const disk = join(folder, 'disk')
  await mkdir(disk)
  const [data, wal] =
    part === 'data' ? [join(disk, 'data'), join(folder, 'wal')] : [join(folder, 'data'), join(disk, 'wal')]
  // Everything in it ends with the first process.
  const shell = startProcess(['unshare', '-rmpf', '--kill-child', 'sh', '-c', SHELL, 'sh', size, disk], {
    stdin: 'pipe',
  })
  let commands = 0
  const tryRun = async (command: string): Promise<number> => {
    const end = `end-of-${++commands}`
    shell.child.stdin?.write(`{ ${command}; } >>"${folder}/log" 2>&1; echo ${end} $?\n`)
    const pattern = new RegExp(`${end} (\\d+)\n`)
    await vi.waitUntil(() => pattern.test(shell.stdout()), { timeout: 60_000, interval: 10 })
    return Number(pattern.exec(shell.stdout())?.[1])
  }
  const log = () => readFile(join(folder, 'log'), 'utf8')
  const run = async (command: string) => {
    if ((await tryRun(command)) !== 0) throw new Error(`${command} failed:\n${await log()}`)
  }
  const port = await freePort()
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c min_wal_size=2MB -c max_wal_size=4MB`
  const filler = join(disk, 'filler')
  const ctl = `${bin}/pg_ctl -D ${data}`
  await run(`${bin}/initdb -D ${data} -X ${wal} --wal-segsize=1 -A trust -U app --no-sync --locale=C.UTF-8 -E UTF8`)
  const start = `${ctl} -o '${options}' -l ${folder}/server.log -w start`
  await run(start)
  return {
    url: `postgres://app@127.0.0.1:${port}/postgres`,
    /** Leaves that many kilobytes. */
    fill: (leaveKb: number) =>
      run(`head -c $(( ($(df --output=avail ${disk} | tail -1) - ${leaveKb}) * 1024 )) /dev/zero >${filler}`),
    async makeRoom() {
      await run(`rm ${filler}`)
      // A server that ended starts again.
      if ((await tryRun(`${ctl} status`)) !== 0) await run(start)
    },
    serverLog: () => readFile(join(folder, 'server.log'), 'utf8'),
  }
}
