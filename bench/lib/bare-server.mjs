/**
 * A node:http server that does nothing: it reads a request to its end and answers what it was told last, for the kind
 * that the header `x-kind` names.
 */
import { createServer } from 'node:http'

const answers = new Map([
  ['', { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }],
])
process.on('message', ({ kind = '', ...next }) => {
  answers.set(kind, { ...next, body: Buffer.from(next.body) })
  process.send('set')
})
const server = createServer((request, response) => {
  const { status, headers, body } = answers.get(request.headers['x-kind'] ?? '')
  request.resume().on('end', () => {
    response.writeHead(status, headers).end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` }))
})
process.once('SIGTERM', () => process.exit())
