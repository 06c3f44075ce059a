/** Whatever is published, and whenever: what a load takes for unchanged is what a download would have brought. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Client, createClient } from '../../../src/api/client.ts'
import { catalogDigest } from '../../../src/catalog/digest.ts'
import { loadConfig } from '../../../src/config/resolve.ts'
import { silentLogger } from '../../../src/logger.ts'
import { createLocalService, type LocalService } from '../../../src/service.ts'
import { loadCatalog } from '../../../src/sources/load.ts'
import { createResourceCache } from '../../../src/sources/resource-cache.ts'
import { repeats } from '../../helpers/repeats.ts'
import { tempFolder } from '../../helpers/temp.ts'

const RUNS = repeats(5, 25)
const SECOND = 1000
const HOUR = 3600 * SECOND
const NAMES = ['a', 'b', 'c'] as const

const name = fc.constantFrom(...NAMES)
const place = { key: name, namespace: fc.constantFrom('', 'shop'), language: fc.constantFrom('en', 'de') }
const text = fc.constantFrom('', 'one', 'two', 'three')
const customerId = fc.constantFrom(undefined, 'acme')
const reviewStatus = fc.constantFrom('REVIEWED' as const, 'NOT_REVIEWED' as const)

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('set' as const), ...place, text, customerId, reviewStatus }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), ...place }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), ...place, to: name }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        ms: fc.constantFrom(0, 300, 1200, 15 * SECOND, 15 * SECOND, HOUR),
      }),
    },
    { weight: 9, arbitrary: fc.record({ kind: fc.constant('load' as const) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('publish' as const) }) },
  ),
  { minLength: 4, maxLength: 40 },
)
type Step = (typeof steps extends fc.Arbitrary<infer T> ? T : never)[number]

/** Ignores what must not count: that a key is there already, or not. */
async function edit(client: Client, step: Exclude<Step, { kind: 'wait' | 'load' | 'publish' }>): Promise<void> {
  const { key, namespace, language } = step
  const set = async (to: string, value: string, more: object = {}) => {
    await client.keys.create({ key: to, namespace }).catch(() => {})
    await client.translations.set({ key: to, namespace, language, text: value, ...more })
  }
  if (step.kind === 'set') {
    const { customerId, reviewStatus } = step
    return set(key, step.text, { reviewStatus, ...(customerId !== undefined && { customerId }) })
  }
  const old = await client.translations.query({ key, namespace, language })
  await client.keys.delete({ key, namespace }).catch(() => {})
  if (step.kind === 'rename') await set(step.to, old.translations[0]?.text ?? '')
}

/** The service's answers say the time of its own clock, which the test moves. */
function dated(client: Client, now: () => number): Client {
  const withDate = <T extends { onHeaders?: unknown }>(options: T | undefined) => {
    const told = options?.onHeaders as ((header: (name: string) => string | undefined) => void) | undefined
    const date = new Date(now()).toUTCString()
    return {
      ...options,
      onHeaders:
        told &&
        ((header: (name: string) => string | undefined) => told((field) => (field === 'date' ? date : header(field)))),
    }
  }
  return {
    ...client,
    environments: {
      ...client.environments,
      status: (key, options) => client.environments.status(key, withDate(options)),
    },
  }
}

test('hosting', async () => {
  let kept = 0
  let downloads = 0
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      let time = Date.parse('2026-01-01T12:00:00Z')
      // Whole seconds, as some services have them.
      const service: LocalService = await createLocalService({
        now: () => Math.floor(time / SECOND) * SECOND,
        customers: ['acme'],
        languages: ['de'],
        fileLifetimeMs: Number.MAX_SAFE_INTEGER,
      })
      const { baseUrl, cdnUrl, personalToken } = service
      const admin = createClient({ baseUrl, personalToken })
      const { apiKey } = await admin.projects.create({ name: 'test' })
      const client = createClient({ baseUrl, cdnUrl, apiKey })
      const loadFrom = async (root: string) => {
        const config = await loadConfig({
          root,
          configFile: false,
          options: {
            source: 'hosting',
            environment: '_latest',
            customers: ['acme'],
            service: { baseUrl, cdnUrl, apiKey },
          },
        })
        const loaded = await loadCatalog({
          config,
          mode: 'build',
          logger: silentLogger,
          now: () => new Date(time),
          openClient: async () => ({ ...dated(client, () => time), close: async () => {} }),
          resourceCache: createResourceCache(`${root}/hosting`),
        })
        return { digest: catalogDigest(loaded.catalog), isKept: loaded.detail.includes('unchanged since') }
      }
      const root = await tempFolder()
      // A project without texts builds nothing, whatever is known of it.
      const outcome = (at: string) =>
        loadFrom(at).catch((error: unknown) => {
          // Without any namespace, nothing is listed: that is told as an environment that is not published.
          const isEmpty = { code: 'CATALOG_EMPTY' }
          const isUnlisted = { code: 'SOURCE_FAILED', cause: { code: 'API_NOT_FOUND' } }
          expect(error).toMatchObject((error as { cause?: unknown }).cause === undefined ? isEmpty : isUnlisted)
          return { digest: 'empty', isKept: false }
        })
      try {
        const first = { key: 'a', namespace: '', language: 'en', text: 'one', reviewStatus: 'REVIEWED' } as const
        await edit(client, { kind: 'set', customerId: undefined, ...first })
        time += 5 * SECOND
        await client.environments.publish('_latest')
        const load = { kind: 'load' as const }
        const wait = { kind: 'wait' as const, ms: 15 * SECOND }
        for (const step of [wait, load, load, ...sequence, load]) {
          if (step.kind === 'wait') time += step.ms
          else if (step.kind === 'publish') await client.environments.publish('_latest')
          else if (step.kind !== 'load') await edit(client, step)
          else {
            const fresh = await outcome(await tempFolder())
            const found = await outcome(root)
            if (found.isKept) kept++
            else downloads++
            expect(found.digest).toBe(fresh.digest)
          }
        }
      } finally {
        await Promise.all([admin.close(), client.close()])
        await service.close()
      }
    }),
    { numRuns: RUNS },
  )
  // Both happen, or nothing was tried.
  expect(kept).toBeGreaterThan(repeats(0, 5))
  expect(downloads).toBeGreaterThan(repeats(0, 5))
}, 300_000)
