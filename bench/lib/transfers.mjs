/** Exports as a script takes them, their time, and the memory of the process that answers. */
import { call } from './service-calls.mjs'

export async function exportV3(baseUrl, headers) {
  let bytes
  const ms = await timed(async () => {
    const { data } = await call(`${baseUrl}/api/v3/export?downloadFormat=multi-language-json`, { headers })
    bytes = await download(data.url)
  })
  return { bytes, ms }
}

export async function exportV4(baseUrl, headers) {
  const bodies = []
  const ms = await timed(async () => {
    const query = 'downloadFormat=single-language-json&downloadOptions=SPLIT_BY_NAMESPACES'
    const { data } = await call(`${baseUrl}/api/v4/export?${query}`, { headers })
    for (const { url } of data.files) bodies.push(await download(url))
  })
  return { bodies, bytes: bodies.reduce((sum, { length }) => sum + length, 0), ms }
}

export async function download(address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

export async function timed(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
