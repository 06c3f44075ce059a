/**
 * What stands between a developer and a service: TLS by a private authority, client certificates, and a CONNECT proxy.
 * All on loopback.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tempFolder } from './temp.ts'
import { listen } from './throwaway-server.ts'

/** A name that no resolver knows: only a proxy leads there. */
export const HOST = 'localization.test'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Authority {
  /** The file for NODE_EXTRA_CA_CERTS. */
  readonly file: string
  readonly cert: string
  issue(names: readonly string[], days?: number): Promise<Certificate>
}

/** Made by `openssl`, which every machine that runs these tests has. */
export async function createAuthority(): Promise<Authority> {
  const folder = await tempFolder()
  const openssl = (...args: readonly string[]) => promisify(execFile)('openssl', args, { cwd: folder })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test CA')
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  let issued = 0
  return {
    file: join(folder, 'ca.pem'),
    cert: await read('ca.pem'),
    async issue(names, days = 2) {
      const name = `leaf${++issued}`
      await writeFile(join(folder, `${name}.ext`), `subjectAltName=${names.map((each) => `DNS:${each}`).join(',')}\n`)
      await openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${names[0]}`)
      const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', String(days)]
      const files = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.pem`]
      await openssl('x509', '-req', ...files, ...authority)
      return { key: await read(`${name}.key`), cert: await read(`${name}.pem`) }
    },
  }
}

/** The port. With `clients`, only those whose certificate that authority issued are let in. */
export async function startTlsServer(
  { key, cert }: Certificate,
  listener: RequestListener,
  clients?: Authority,
): Promise<number> {
  const options = clients ? { key, cert, ca: clients.cert, requestCert: true } : { key, cert }
  return listen(createTlsServer(options, listener))
}

export interface ConnectProxy {
  /** `127.0.0.1:3128`. */
  readonly address: string
  /** The hosts that it was asked for. */
  readonly asked: string[]
}

/** Leads every CONNECT to one port of this machine, whatever the host. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const asked: string[] = []
  const server = createServer((_, response) => response.writeHead(502).end())
  server.on('connect', ({ url = '' }, client: Socket) => {
    asked.push(url)
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    client.on('error', () => target.destroy())
    target.on('error', () => client.destroy())
  })
  return { address: `127.0.0.1:${await listen(server)}`, asked }
}
