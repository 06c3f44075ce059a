import { createServer } from 'node:net'

export function readPort(option, text) {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`${option} must be a port number, 0 to 65535, not ${JSON.stringify(text)}`)
  return port
}

/** The port itself when nothing listens there, else 0, which takes any. */
export async function freePort(port, host) {
  if (port === 0) return 0
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(0) : reject(error)))
    probe.listen(port, host, () => probe.close(() => resolve(port)))
  })
}
