/** A node:http server that does nothing: it reads a request to its end and answers what it was told last. */
import { createServer } from 'node:http'

let answer = { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }
process.on('message', (next) => {
  answer = { ...next, body: Buffer.from(next.body) }
  process.send('set')
})
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` }))
})
process.once('SIGTERM', () => process.exit())
