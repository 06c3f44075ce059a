/** The inspector's server in `next dev` answers only requests that arrived at the dev server of the same process. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createActivity } from '../../../src/inspector/activity.ts'
import { startInspector } from '../../../src/next/inspector.ts'

/** A page that the inspector does not have: if it accepts the request, it answers with 404. */
const PAGE = '/__localization/none.html'

test('directly and with an invented mark it refuses; a request through the dev server keeps its sender', async () => {
  const closing: (() => unknown)[] = []
  const ready = async () => ({ config: { inspector: true, root: '/', service: {} } })
  const dev = { onStatus: () => () => {} }
  const session = {
    ready,
    dev,
    secrets: () => [],
    onClose: (listener: () => unknown) => closing.push(listener),
  } as never
  const [rewrite] = await startInspector(session, createActivity(Date.now))
  onTestFinished(() => Promise.all(closing.map((close) => close())).then(() => {}))
  const { origin } = new URL(rewrite?.destination ?? '')
  const marks: unknown[] = []
  // As Next.js does it.
  const front = createServer(async ({ headers, url = '' }: IncomingMessage, response) => {
    const mark = headers['x-unplugin-localization'] as string
    marks.push(JSON.parse(mark)[1])
    const forwarded = { 'x-unplugin-localization': mark, 'x-forwarded-host': headers.host ?? '' }
    response.statusCode = (await fetch(origin + url, { headers: forwarded })).status
    response.end()
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void front.close())
  const statusOf = async (base: string, headers = {}) => (await fetch(base + PAGE, { headers })).status

  expect(await statusOf(origin)).toBe(403)
  expect(await statusOf(origin, { 'x-unplugin-localization': '["invented","127.0.0.1"]' })).toBe(403)
  const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  expect(await statusOf(address)).toBe(404)
  expect(marks).toEqual(['127.0.0.1'])
  expect(await statusOf(address, { 'x-forwarded-for': '203.0.113.9' }), 'through a tunnel').toBe(403)
})
