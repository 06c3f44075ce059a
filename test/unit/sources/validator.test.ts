/** What a service must tell before a build believes that nothing changed. */
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/resolve.ts'
import { askEditorState } from '../../../src/sources/editor-validator.ts'
import { createResourceCache } from '../../../src/sources/resource-cache.ts'
import type { SourceContext } from '../../../src/sources/source.ts'
import {
  AnswerTime,
  cacheLifetimeMs,
  isUnchanged,
  parseServiceTime,
  storableValidator,
  type Validator,
} from '../../../src/sources/validator.ts'
import { API_KEY, startClient } from '../../helpers/api-client.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { type SeenRequest, sendJson, startServer } from '../../helpers/throwaway-server.ts'

interface Row {
  readonly key: string
  readonly namespace: string
  readonly language: string
  readonly text: string
  readonly lastModifiedAt?: string
}

const rows: readonly Row[] = ['a', 'b', 'c'].map((key, i) => ({
  key,
  namespace: '',
  language: 'en',
  text: key,
  lastModifiedAt: `2026-01-01T00:00:0${i}.000Z`,
}))

interface Behaviour {
  readonly rows?: readonly Row[]
  readonly sorts?: boolean
  readonly total?: number | undefined
  readonly headers?: Record<string, string>
  readonly project?: { readonly status: number; readonly data?: object }
}

/** What a service that behaves so proves, once everything was downloaded. */
async function validatorOf(behaviour: Behaviour, textCount = 3): Promise<Validator | undefined> {
  const { rows: own = rows, sorts = true, headers = {}, project = { status: 404 } } = behaviour
  const total = 'total' in behaviour ? behaviour.total : own.length
  const answer = ({ query }: SeenRequest) => {
    const ordered = [...own].sort((x, y) => ((x.lastModifiedAt ?? '') < (y.lastModifiedAt ?? '') ? -1 : 1))
    if (query.get('sortOrder') === 'desc') ordered.reverse()
    return { data: sorts ? ordered : own, ...(total !== undefined && { pageDetails: { totalElements: total } }) }
  }
  const server = await startServer((seen, response) => {
    if (seen.path === '/api/v2/project') return sendJson(response, { data: project.data }, project.status)
    if ('date' in headers && headers.date === '') response.sendDate = false
    const { date, ...others } = headers
    sendJson(response, answer(seen), 200, date === '' || date === undefined ? others : headers)
  })
  const client = startClient(server.url, { apiKey: API_KEY })
  const root = await tempFolder()
  const service = { baseUrl: server.url, apiKey: API_KEY }
  const config = await loadConfig({ root, configFile: false, options: { source: 'export', service }, env: {} })
  const context: SourceContext = {
    config,
    client,
    resourceCache: createResourceCache(root),
    revalidate: async () => undefined,
  }
  return (await (await askEditorState(context)).confirm())(textCount)
}

describe('the editor', () => {
  test('proves it where it sorts, counts and tells the time', async () => {
    const validator = await validatorOf({})
    expect(validator?.changedAt).toBe(Date.parse('2026-01-01T00:00:02Z'))
    expect(storableValidator(validator)).toBeDefined()
    expect((await validatorOf({}))?.state).toBe(validator?.state)
  })

  const at = (time: string | undefined) =>
    rows.map(({ lastModifiedAt: _, ...row }) => ({ ...row, ...(time && { lastModifiedAt: time }) }))
  test.each<[string, Behaviour]>([
    ['takes no notice of the order', { sorts: false }],
    ['has no totals', { total: undefined }],
    ['counts fewer texts than it has', { total: 2 }],
    ['counts more than its one page shows', { total: 4 }],
    ['has no times', { rows: at(undefined) }],
    ['has times that are none', { rows: at('yesterday') }],
    ['has one time for all', { rows: at('2026-01-01T00:00:00Z') }],
    ['does not tell the time', { headers: { date: '' } }],
    ['tells nonsense for the time', { headers: { date: 'noon' } }],
    ['is answered by a cache on the way', { headers: { age: '7' } }],
    ['fails to describe the project', { project: { status: 403 } }],
    ['has no texts', { rows: [] }],
  ])('proves nothing where it %s', async (_, behaviour) => {
    expect(await validatorOf(behaviour)).toBeUndefined()
  })

  test('proves nothing where it counts up to a limit', async () => {
    expect(await validatorOf({}, 4)).toBeUndefined()
  })

  const withProject = (isDefault: boolean, namespaces: readonly string[]) =>
    validatorOf({
      project: {
        status: 200,
        data: { languages: [{ key: 'en', name: 'English', isDefault }], namespaces, keys: Math.random() },
      },
    })
  test('is another where the project is, in what matters', async () => {
    const state = async (...of: Parameters<typeof withProject>) => (await withProject(...of))?.state
    const first = await state(true, ['a'])
    expect(first).toBeDefined()
    expect(await state(true, ['a'])).toBe(first)
    expect(await state(false, ['a'])).not.toBe(first)
    expect(await state(true, ['b'])).not.toBe(first)
  })
})

describe('times', () => {
  const validator: Validator = { state: 's', answeredAt: 100_000, changedAt: 90_000 }

  test('a change that is just settled', () => {
    expect(storableValidator(validator)).toEqual({ state: 's', answeredAt: 100_000 })
    expect(storableValidator({ ...validator, changedAt: 90_001 })).toBeUndefined()
    expect(storableValidator({ ...validator, changedAt: 200_000 })).toBeUndefined()
    expect(storableValidator({ ...validator, changedAt: Number.NaN })).toBeUndefined()
    expect(storableValidator(undefined)).toBeUndefined()
  })

  test('caches keep it longer', () => {
    expect(storableValidator({ ...validator, changedAt: 80_000 }, 10_000)).toBeDefined()
    expect(storableValidator({ ...validator, changedAt: 80_000 }, 10_001)).toBeUndefined()
    expect(storableValidator(validator, Number.POSITIVE_INFINITY)).toBeUndefined()
  })

  test('a proof holds as long as it may, and not before it was given', () => {
    const stored = { state: 's', answeredAt: 100_000, maxAgeMs: 5000 }
    const told = (answeredAt: number, state = 's') => isUnchanged(stored, { state, answeredAt, changedAt: 0 })
    expect([
      told(100_000),
      told(105_000),
      told(105_001),
      told(99_999),
      told(Number.NaN),
      told(101_000, 'other'),
    ]).toEqual([true, true, false, false, false, false])
  })

  test('the earliest of several answers counts', () => {
    const time = new AnswerTime()
    expect(time.earliest).toBeUndefined()
    const answer = (date: string, age?: string) =>
      time.onHeaders((name) => (name === 'date' ? date : name === 'age' ? age : undefined))
    answer('Thu, 01 Jan 2026 00:00:09 GMT', '0')
    answer('Thu, 01 Jan 2026 00:00:04 GMT')
    expect(time.earliest).toBe(Date.parse('2026-01-01T00:00:04Z'))
    answer('Thu, 01 Jan 2026 00:00:01 GMT', '1')
    answer('Thu, 01 Jan 2026 00:00:02 GMT')
    expect(time.earliest).toBeUndefined()
  })

  test.each([
    ['2026-01-01T00:00:00', Date.UTC(2026, 0, 1)],
    ['2026-01-01T00:00:00.5Z', Date.UTC(2026, 0, 1) + 500],
    ['2026-01-01T01:00:00+01:00', Date.UTC(2026, 0, 1)],
    ['soon', Number.NaN],
    [undefined, Number.NaN],
  ])('%s', (text, time) => {
    expect(parseServiceTime(text)).toBe(time)
  })

  test.each([
    ['no-cache', 0],
    ['private, no-store', 0],
    ['public, max-age=3600', 3_600_000],
    ['max-age=60, s-maxage="120"', 120_000],
    ['Max-Age=60, Stale-While-Revalidate=30', 90_000],
    ['max-age=soon', Number.POSITIVE_INFINITY],
    ['public', Number.POSITIVE_INFINITY],
    [undefined, Number.POSITIVE_INFINITY],
  ])('Cache-Control: %s', (header, ms) => {
    expect(cacheLifetimeMs(header)).toBe(ms)
  })
})
