// A process that wants the local service of a folder and goes on asking: `contender.mjs <dist/service.js> <folder>
// <driver> [no-sockets]`.
// Prints one JSON line for each thing that happens, and takes commands on standard input: `write <count> <prefix>`,
// `read`, `end`.
import { Server } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [entry, dataDir, driver, sockets] = process.argv.slice(2)
if (sockets === 'no-sockets') {
  // As on a file system that holds no sockets.
  const { listen } = Server.prototype
  Server.prototype.listen = function (...given) {
    if (typeof given[0] !== 'string') return listen.apply(this, given)
    process.nextTick(() => this.emit('error', Object.assign(new Error('not supported'), { code: 'EOPNOTSUPP' })))
    return this
  }
}
const { createLocalService } = await import(entry)
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)

let service
while (!service) {
  const triedAt = Date.now()
  try {
    service = await createLocalService({ dataDir, driver })
  } catch (error) {
    say({ refused: error.code, message: error.message, triedAt })
    await sleep(100)
  }
}
const call = async (method, path, body, headers) => {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
const personal = { authorization: service.personalToken }
const { data } = (await call('GET', '/api/v2/projects', undefined, personal)).body
const project = data[0] ?? (await call('POST', '/api/v2/projects', { name: 'shared' }, personal)).body.data
const key = { 'X-Service-Token': project.apiKey }
say({ holds: true })

for await (const line of createInterface({ input: process.stdin })) {
  const [command, count, prefix] = line.split(' ')
  if (command === 'write') {
    for (let i = 0; i < Number(count); i++) {
      const content = [{ key: `${prefix}${i}`, language: 'en', text: `${prefix} ${i}` }]
      const path = '/api/v1/translations?updateOptions=CREATE_KEY_IF_NOT_FOUND'
      const { status, body } = await call('PATCH', path, { content }, key).catch(() => ({ status: 0 }))
      if (status === 200) say({ written: content[0].key, text: content[0].text })
      else say({ failed: status, code: body?.code })
    }
    say({ wrote: prefix })
  }
  if (command === 'read') {
    const texts = {}
    for (let page = 0; ; page++) {
      const { body } = await call('GET', `/api/v2/translations?size=500&page=${page}`, undefined, key)
      for (const row of body.data) texts[row.key] = row.text
      if (body.data.length < 500) break
    }
    say({ texts })
  }
  if (command === 'end') {
    await service.close()
    say({ ended: true })
    process.exit()
  }
}
