/** What sync does with a service that answers in ways that mislead, and what a person's decision reaches. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { runHere } from '../helpers/command-here.ts'
import { startProject } from '../helpers/project.ts'
import { clientOf, configOf, type Service, startEngine } from '../helpers/sync.ts'
import { readJson, writeTree } from '../helpers/temp.ts'

const FILE = 'locales/en/common.json'
const CONDITIONS = [
  ['with conditions', true],
  ['without conditions', false],
] as const

interface Session {
  readonly ask?: (said: readonly string[]) => Promise<string>
  readonly client?: ReturnType<typeof createClient>
}

/** Runs a command in this process, as a person at a terminal would. */
async function run(service: Service, root: string, args: readonly string[], { ask, client }: Session = {}) {
  const own = client ?? createClient({ proxy: false, baseUrl: service.baseUrl, apiKey: service.apiKey })
  onTestFinished(() => own.close())
  return runHere(args, { root, config: configOf(root, service), client: own, ask })
}

async function start(texts: Readonly<Record<string, string>>, conditional = true) {
  const { root, ...service } = await startProject({
    files: { [FILE]: texts },
    service: { features: { conditionalWrites: conditional }, texts: { 'en/common': texts } },
  })
  await run(service, root, ['push'])
  return { service, root }
}

test.each(CONDITIONS)(
  'resolve, %s: a text that changes while the question waits is asked about again',
  async (_, conditional) => {
    const { service, root } = await start({ title: 'Hello' }, conditional)
    await writeTree(root, { [FILE]: { title: 'Hi' } })
    await service.setText('en', 'common', 'title', 'Welcome')
    const asked: string[] = []
    const answers = ['f', 'f']
    const { data, said, warned } = await run(service, root, ['resolve'], {
      ask: async (lines) => {
        asked.push(lines.join('\n'))
        if (asked.length === 1) await service.setText('en', 'common', 'title', 'Good day')
        return answers.shift() ?? 'q'
      },
    })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain('"Welcome"')
    expect(asked[0]).not.toContain('"Good day"')
    expect(asked[1]).toContain('"Good day"')
    expect([...said, ...warned].join('\n')).toContain('1 conflict changed in the meantime: nothing was overwritten')
    // The second time the person had seen it.
    expect(data).toMatchObject({ resolved: [{ key: 'title', side: 'ours' }], left: [], failures: [] })
    expect(await service.texts('en')).toEqual({ title: 'Hi' })
  },
)

test.each(['ours', 'theirs'])(
  'resolve, answered once for %s: what changed meanwhile on either side stays',
  async (side) => {
    const { service, root } = await start({ title: 'Hello', bye: 'Bye' })
    await writeTree(root, { [FILE]: { title: 'Hi', bye: 'So long' } })
    await service.setText('en', 'common', 'title', 'Welcome')
    await service.setText('en', 'common', 'bye', 'Farewell')
    let questions = 0
    const { data } = await run(service, root, ['resolve'], {
      ask: async () => {
        if (questions++ > 0) return 'q'
        await service.setText('en', 'common', 'title', 'Good day')
        await writeTree(root, { [FILE]: { title: 'Hi', bye: 'Ciao' } })
        return side === 'ours' ? 'F' : 'S'
      },
    })
    expect(data.resolved).toEqual([])
    expect(await service.texts('en')).toEqual({ title: 'Good day', bye: 'Farewell' })
    expect(await readJson(root, FILE)).toEqual({ title: 'Hi', bye: 'Ciao' })
  },
)

test('resolve --ours for a key that the service deleted makes it again, because a person said so', async () => {
  const { service, root } = await start({ title: 'Hello' })
  await writeTree(root, { [FILE]: { title: 'Hi' } })
  await service.deleteKey('common', 'title')
  expect((await run(service, root, ['push'])).data).toMatchObject({ texts: 0, conflicts: [{ theirs: null }] })
  expect(await service.texts('en')).toEqual({})
  expect((await run(service, root, ['resolve', '--ours'])).data).toMatchObject({ resolved: [{ side: 'ours' }] })
  expect(await service.texts('en')).toEqual({ title: 'Hi' })
})

test('deleted here and edited there is a conflict, and each side can be kept', async () => {
  const { service, root } = await start({ title: 'Hello', bye: 'Bye' })
  await writeTree(root, { [FILE]: {} })
  await service.setText('en', 'common', 'title', 'Welcome')
  await service.setText('en', 'common', 'bye', 'Farewell')
  const { data } = await run(service, root, ['push'])
  expect(data).toMatchObject({
    conflicts: [
      { ours: null, theirs: 'Farewell' },
      { ours: null, theirs: 'Welcome' },
    ],
  })
  expect((await run(service, root, ['resolve', 'title', '--theirs'])).data).toMatchObject({ failures: [] })
  expect((await run(service, root, ['resolve', 'bye', '--ours'])).data).toMatchObject({ failures: [] })
  expect(await readJson(root, FILE)).toEqual({ title: 'Welcome' })
  // Decided for the deletion here: it is not sent.
  expect((await run(service, root, ['push'])).data).toMatchObject({ texts: 0, conflicts: [], deletedHere: 1 })
  expect(await service.texts('en')).toEqual({ title: 'Welcome', bye: 'Farewell' })
})

test('pull.write writes what was made on the service while no server ran', async () => {
  const { service, root } = await start({ title: 'Hello' })
  await service.setText('en', 'common', 'fresh', 'New')
  await service.setText('en', 'common', 'title', 'Welcome')
  await service.setText('pl', 'other', 'more', 'Nowe')
  const { engine, lines } = await startEngine({ root, service, options: { pull: { intervalMs: 100, write: true } } })
  await engine.refresh()
  expect(await readJson(root, FILE)).toEqual({ title: 'Welcome', fresh: 'New' })
  expect(await readJson(root, 'locales/pl/other.json')).toEqual({ more: 'Nowe' })
  expect(lines.join('\n')).toMatch(/pulled into files: 3 texts/)
  expect(engine.status()).toMatchObject({ outbox: [], conflicts: [], holds: [] })
  expect(service.count('PATCH')).toBe(0)
})

test.each(CONDITIONS)('white space alone keeps the review with push too, %s', async (_, conditional) => {
  const { service, root } = await start({ title: 'Hello', bye: 'Bye' }, conditional)
  for (const [key, text] of [
    ['title', 'Hello'],
    ['bye', 'Bye'],
  ] as const)
    await clientOf(service).translations.set({
      key,
      namespace: 'common',
      language: 'en',
      text,
      reviewStatus: 'REVIEWED',
    })
  await writeTree(root, { [FILE]: { title: 'Hello ', bye: 'Bye!' } })
  for (const via of ['import', 'patch']) await run(service, root, ['push', '--via', via])
  const { translations } = await clientOf(service).translations.query({ namespace: 'common' })
  const status = Object.fromEntries(translations.map(({ key, text, reviewStatus }) => [key, [text, reviewStatus]]))
  expect(status).toEqual({ title: ['Hello ', 'REVIEWED'], bye: ['Bye!', 'NOT_REVIEWED'] })
})

test('push.concurrency is the most that a push sends at once', async () => {
  const texts = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, `Text ${i}`]))
  const { service, root } = await start(texts)
  const client = createClient({ proxy: false, baseUrl: service.baseUrl, apiKey: service.apiKey })
  let [now, most] = [0, 0]
  const watched = {
    ...client,
    get conditionalWrites() {
      return client.conditionalWrites
    },
    translations: {
      ...client.translations,
      async set(...given: Parameters<typeof client.translations.set>) {
        most = Math.max(most, ++now)
        await sleep(5)
        await client.translations.set(...given)
        now--
      },
    },
  }
  const edited = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, `${text}!`]))
  await writeTree(root, { [FILE]: edited, 'localization.config.json': {} })
  await run(service, root, ['push', '--via', 'patch'], { client: watched })
  expect(await service.texts('en')).toEqual(edited)
  expect(most).toBe(8)
})

test('a cache that answers with old texts: nothing is sent over what was read before, and the output says so', async () => {
  const { service, root } = await start({ title: 'Hello' }, false)
  const real = createClient({ proxy: false, baseUrl: service.baseUrl, apiKey: service.apiKey })
  const old = await real.translations.query({ key: 'title', namespace: 'common' })
  let isOld = false
  const cached = {
    ...real,
    conditionalWrites: false,
    translations: {
      ...real.translations,
      query: async (...given: Parameters<typeof real.translations.query>) =>
        isOld ? old : real.translations.query(...given),
    },
  }
  const { engine, lines } = await startEngine({ root, service, openClient: () => cached })
  await engine.refresh()
  await service.setText('en', 'common', 'title', 'Welcome')
  await engine.refresh()
  expect(engine.serviceText({ language: 'en', namespace: 'common', key: 'title' }).text).toBe('Welcome')
  isOld = true
  await engine.refresh()
  await writeTree(root, { [FILE]: { title: 'Hi' } })
  await engine.rescan()
  await engine.push()
  await engine.refresh()
  expect(await service.texts('en')).toEqual({ title: 'Welcome' })
  expect(engine.status().conflicts).toMatchObject([{ base: 'Hello', ours: 'Hi', theirs: 'Welcome' }])
  expect(lines.join('\n')).toMatch(/older texts than before, probably from a cache/)
})

test('a PATCH that times out and was carried out: it is found to be there, and not sent again', async () => {
  const { service, root } = await start({ title: 'Hello', bye: 'Bye' }, false)
  const real = createClient({ proxy: false, baseUrl: service.baseUrl, apiKey: service.apiKey, timeoutMs: 400 })
  let sets = 0
  const slow = {
    ...real,
    conditionalWrites: false,
    translations: {
      ...real.translations,
      async set(...[request, options]: Parameters<typeof real.translations.set>) {
        sets++
        await real.translations.set(request, options)
        if (sets === 1) await real.translations.set({ ...request, key: 'nowhere' }, { timeoutMs: 1, retries: 0 })
      },
    },
  }
  await writeTree(root, { [FILE]: { title: 'Hi', bye: 'Bye' } })
  const { data } = await run(service, root, ['push'], { client: slow })
  expect(data).toMatchObject({ texts: 1, conflicts: [], left: 0, failure: null })
  expect(sets).toBe(1)
  expect(await service.texts('en')).toEqual({ title: 'Hi', bye: 'Bye' })
})
