/** A service that answers the query with any rows at all, those the local service would refuse included. */
import { sendData, sendJson, startServer, type ThrowawayServer } from './throwaway-server.ts'

export interface Row {
  readonly key: string
  readonly namespace: string
  readonly language: string
  readonly text: string
}

const PAGE = 500

/** `rows` is read at each request; with `totals` it tells how many there are. Ends with the running test. */
export async function startRowService(
  rows: () => readonly Row[],
  { totals = false }: { readonly totals?: boolean } = {},
): Promise<ThrowawayServer> {
  return startServer(({ path, query }, response) => {
    if (path !== '/api/v2/translations') return void response.writeHead(404).end()
    const from = Number(query.get('page') ?? 0) * PAGE
    const all = rows()
    const data = all
      .slice(from, from + PAGE)
      .map((row) => ({ ...row, reviewStatus: 'NOT_REVIEWED', lastModifiedAt: '2026-01-01T00:00:00.000Z' }))
    if (!totals) return sendData(response, data)
    const pageDetails = { totalElements: all.length, hasNext: from + PAGE < all.length }
    sendJson(response, { msg: 'OK', status: 200, data, pageDetails })
  })
}
