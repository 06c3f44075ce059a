/** Stands before a TCP server as a network that fails: connections are cut, or hang without an end. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { whenOver } from './closing.ts'

interface Limits {
  /** Bytes to the server and back, over all connections, after which all are cut. */
  readonly toServer?: number
  readonly toClient?: number
}

/** Ends with the running test. */
export async function startTcpProxy(port: number) {
  const pairs = new Set<readonly [Socket, Socket]>()
  let hangs = false
  let limits: Limits = {}
  let passed = { toServer: 0, toClient: 0 }
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  const pass = (from: Socket, to: Socket, direction: keyof Limits) =>
    from.on('data', (bytes: Buffer) => {
      if (hangs) return
      const room = (limits[direction] ?? Number.POSITIVE_INFINITY) - passed[direction]
      passed[direction] += bytes.length
      if (bytes.length <= room) to.write(bytes)
      else to.write(bytes.subarray(0, Math.max(0, room)), cut)
    })
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    pass(client, upstream, 'toServer')
    pass(upstream, client, 'toClient')
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        // A network that hangs says nothing of an end either.
        if (!hangs) for (const other of pair) other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenOver(async () => {
    cut()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** What was passed on since the last `limit`. */
    passed: () => passed,
    /** From now on nothing passes, in connections that are open and in new ones, until `goOn`. */
    hang() {
      hangs = true
    },
    /** What came in the meantime is lost. */
    goOn() {
      hangs = false
    },
    /** Counts from now on; `{}`: no limit. */
    limit(to: Limits) {
      limits = to
      passed = { toServer: 0, toClient: 0 }
    },
    cut,
  }
}
