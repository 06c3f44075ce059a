/** pull, push, diff, resolve and status: the three-way commands. */
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diffResult } from '../../src/cli/commands/diff.ts'
import { pullResult } from '../../src/cli/commands/pull.ts'
import { pushResult } from '../../src/cli/commands/push.ts'
import { resolveResult } from '../../src/cli/commands/resolve.ts'
import { statusResult } from '../../src/cli/commands/status.ts'
import { createSyncLock } from '../../src/sync/lock.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'locales/en/common.json': { title: 'Hello', 'cart.items': '{count} items', bye: 'Bye' },
  'locales/pl/common.json': { title: 'Witaj', bye: 'Pa' },
}

/** Both sides have the same texts and agree on them. */
async function inSync(files: Readonly<Record<string, object>> = FILES): Promise<Project> {
  const project = await startProject({ files, service: true })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  return project
}

const read = (project: Project, file: string) => readFile(join(project.root, file), 'utf8')
const edit = async (project: Project, file: string, change: (text: string) => string) =>
  writeFile(join(project.root, file), change(await read(project, file)))

const addKey = async (project: Project, key: string, text: string) =>
  expect((await project.run('keys', 'add', key, '--namespace', 'common', '--text', `en=${text}`)).code).toBe(0)

test('pull gives a new language the layout of the default language', async () => {
  const english = '{\r\n\t"title": "Hello",\r\n\t"cart": {\r\n\t\t"pay": "Pay",\r\n\t\t"items": "Items"\r\n\t}\r\n}\r\n'
  const texts = { 'de/common': { 'cart.items': 'Artikel', 'cart.pay': 'Zahlen', title: 'Hallo', 'cart.new': 'Neu' } }
  const files = { 'locales/en/common.json': english }
  const project = await startProject({ files, service: { texts } })
  expect((await project.run('pull')).code).toBe(0)
  expect(await read(project, 'locales/de/common.json')).toBe(
    '{\r\n\t"title": "Hallo",\r\n\t"cart": {\r\n\t\t"pay": "Zahlen",\r\n\t\t"items": "Artikel",\r\n\t\t"new": "Neu"\r\n\t}\r\n}\r\n',
  )
})

test('a pull that fails at one file has recorded the files before it', async () => {
  const project = await inSync({ 'locales/en/common.json': { title: 'Hello' } })
  await writeTree(project.root, { 'locales/en/zone': 'a file in the place of a folder' })
  const setTitle = (text: string) => project.fill({ 'en/common': { title: text }, 'en/zone/late': { a: text } })
  await setTitle('Hello 1')
  const failed = await project.run('pull')
  expect([failed.code, failed.output]).toEqual([1, expect.stringContaining('cannot write the file')])
  expect(await read(project, 'locales/en/common.json')).toContain('Hello 1')
  await rm(join(project.root, 'locales/en/zone'))
  await setTitle('Hello 2')
  expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ conflicts: [], texts: 2 })
  expect(await read(project, 'locales/en/common.json')).toContain('Hello 2')
})

describe('push', () => {
  test('sends few texts one by one, and makes their keys', async () => {
    const project = await startProject({ files: FILES, service: true })
    const dry = (await project.run('push', '--dry-run', '--json')).json(pushResult)
    expect(dry).toMatchObject({ dryRun: true, via: 'patch', texts: 5, conflicts: [], left: 0 })
    expect(await project.readText('en', 'common', 'title')).toBeUndefined()
    const { code, stdout, stderr } = await project.run('push')
    expect(code).toBe(0)
    expect(stdout).toContain('pushed 5 texts by v2 PATCH')
    expect(stdout).toMatch(/^language +namespace +added\nen +common +3\npl +common +2\n/)
    expect(stderr).toContain('push: 5 of 5 texts')
    expect(project.requests.filter((line) => line === 'PATCH /api/v2/translations')).toHaveLength(5)
    expect(await project.readText('pl', 'common', 'title')).toBe('Witaj')
    const again = (await project.run('push', '--json')).json(pushResult)
    expect(again).toMatchObject({ via: null, texts: 0, parts: [] })
    expect(project.requests.filter((line) => line === 'PATCH /api/v2/translations')).toHaveLength(5)
  })

  test('sends many texts by import, and what it was told to', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key.${i}`, `Text ${i}`]))
    const project = await startProject({ files: { 'locales/en/many.json': many }, service: true })
    const result = (await project.run('push', '--json')).json(pushResult)
    expect(result).toMatchObject({ via: 'import', texts: 300 })
    expect(project.requests.filter((line) => line === 'POST /api/v2/import')).toHaveLength(1)
    expect(await project.readText('en', 'many', 'key.299')).toBe('Text 299')
    await edit(project, 'locales/en/many.json', (text) => text.replaceAll('Text', 'Texts'))
    const forced = (await project.run('push', '--via', 'patch', '--json', '--quiet')).json(pushResult)
    expect(forced).toMatchObject({ via: 'patch', texts: 300 })
    expect(await project.readText('en', 'many', 'key.0')).toBe('Texts 0')
  })

  test('sends only what the filters name', async () => {
    const project = await startProject({ files: { ...FILES, 'locales/pl/shop.json': { buy: 'Kup' } }, service: true })
    const result = (await project.run('push', '--language', 'p*', '--namespace', 'shop', '--json')).json(pushResult)
    expect(result.parts).toEqual([
      { language: 'pl', namespace: 'shop', customer: null, added: 1, changed: 0, deleted: 0, conflicts: 0 },
    ])
    expect(await project.readText('pl', 'common', 'title')).toBeUndefined()
  })

  test("sends a customer's own texts", async () => {
    const project = await startProject({
      files: {
        'localization.config.json': {
          files: ['locales/{language}/{namespace}.json', 'customers/{customer}/{language}/{namespace}.json'],
        },
        ...FILES,
        'customers/acme/en/common.json': { title: 'Hello, Acme' },
      },
      service: { customers: ['acme'] },
    })
    await project.run('push')
    const result = (await project.run('push', '--customer', 'acme', '--json')).json(pushResult)
    expect(result.parts).toMatchObject([{ customer: 'acme', added: 1 }])
    expect(await project.readText('en', 'common', 'title')).toBe('Hello')
  })

  test('makes no language that nobody asked for', async () => {
    const project = await startProject({ files: { 'locales/fr/common.json': { title: 'Bonjour' } }, service: true })
    const refused = await project.run('push')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('the project has no language "fr"')
    const made = (await project.run('push', '--create-languages', '--json')).json(pushResult)
    expect(made).toMatchObject({ via: 'import', texts: 1 })
    expect(await project.readText('fr', 'common', 'title')).toBe('Bonjour')
  })

  test('reports what the service refuses, and sends the rest', async () => {
    const project = await startProject({
      files: { 'locales/en/common.json': { ok: 'fine', long: 'x'.repeat(20) } },
      service: true,
    })
    await project.run('keys', 'add', 'long', '--namespace', 'common', '--characters-limit', '5')
    const run = await project.run('push', '--json')
    expect(run.code).toBe(1)
    expect(run.json(pushResult)).toMatchObject({ texts: 1, refused: [{ key: 'long', language: 'en' }] })
    expect(await project.readText('en', 'common', 'ok')).toBe('fine')
  })

  test('warns of what the page throws on', async () => {
    const files = {
      'package.json': { dependencies: { 'vue-i18n': '11' } },
      'locales/en/common.json': { mail: 'a@b.c' },
    }
    const project = await startProject({ files, service: true })
    await symlink(resolve('node_modules'), join(project.root, 'node_modules'))
    const { code, stderr } = await project.run('push')
    expect(code).toBe(0)
    expect(stderr).toMatch(/en\/common "mail" is rejected by vue-i18n: .*\{'@'\}/)
  })

  test('says that the service limits the requests', async () => {
    const faults = [{ method: 'PATCH', times: 1, status: 429, headers: { 'retry-after': '1' } }]
    const files = { 'locales/en/common.json': { title: 'Hello' } }
    const project = await startProject({ files, service: { faults } })
    const { code, stderr } = await project.run('push')
    expect(code).toBe(0)
    expect(stderr).toMatch(/the service limits requests: waiting \d+ s\n/)
  })

  test('a new language comes without the texts that the service refuses, each with its reason', async () => {
    const long = 'k'.repeat(501)
    const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`key.${i}`, `Text ${i}`]))
    const texts = { [long]: 'long', ...many, nul: 'a\u0000b', [`${long}k`]: 'longer' }
    const project = await startProject({ files: { 'locales/fr/common.json': texts }, service: true })
    const run = await project.run('push', '--create-languages', '--json')
    const { refused, ...result } = run.json(pushResult)
    expect(result).toMatchObject({ texts: 1_200, left: 0, failure: null })
    expect(await project.readText('fr', 'common', 'key.1199')).toBe('Text 1199')
    expect(refused.map(({ key }) => key).sort()).toEqual([long, `${long}k`, 'nul'].sort())
    for (const { key, reason } of refused) expect(reason).toMatch(key === 'nul' ? /400.*NUL/ : /400.*500/)
    // Halves of refused imports, and not one request for each text.
    expect(project.requests.length).toBeLessThan(1_000)
  })

  test('leaves a broken file alone', async () => {
    const project = await inSync()
    await edit(project, 'locales/pl/common.json', (text) => text.slice(0, -5))
    await edit(project, 'locales/en/common.json', (text) => text.replace('Hello', 'Hi'))
    const run = await project.run('push', '--json')
    expect(run.code).toBe(1)
    expect(run.json(pushResult)).toMatchObject({ texts: 1, deletedHere: 0, skippedFiles: ['locales/pl/common.json'] })
    expect(run.stderr).toMatch(/locales\/pl\/common\.json:\d+:\d+/)
  })
})

describe('push --prune', () => {
  test('shows and deletes keys that were deleted here, and only those', async () => {
    const project = await inSync()
    await project.importTexts('en', 'common', { 'somebody.elses': 'new work' })
    await project.importTexts('en', 'other', { untouched: 'x' })
    for (const file of Object.keys(FILES)) await edit(project, file, (text) => text.replace(/,\n\s*"bye": "[^"]*"/, ''))
    expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ deletedHere: 2, pruned: [] })
    const nobody = await project.run('push', '--prune')
    expect(nobody.code).toBe(2)
    const dry = await project.run('push', '--prune', '--dry-run')
    expect(dry.stderr).toContain('common "bye" (2 texts)')
    expect(dry.stderr).toContain('1 key on the service that these files never had')
    expect(await project.readText('pl', 'common', 'bye')).toBe('Pa')
    const done = (await project.run('push', '--prune', '--yes', '--json')).json(pushResult)
    expect(done.pruned).toEqual([{ namespace: 'common', key: 'bye', texts: 2 }])
    expect(await project.readText('pl', 'common', 'bye')).toBeUndefined()
    expect(await project.readText('en', 'common', 'somebody.elses')).toBe('new work')
    const unseen = (await project.run('push', '--prune', '--unseen', '--yes', '--json')).json(pushResult)
    expect(unseen.pruned).toEqual([{ namespace: 'common', key: 'somebody.elses', texts: 1 }])
    expect(await project.readText('en', 'other', 'untouched')).toBe('x')
  })

  test('keeps a key that another language still has, or that was edited on the service', async () => {
    const project = await inSync()
    await edit(project, 'locales/en/common.json', (text) => text.replace(/,\n\s*"bye": "[^"]*"/, ''))
    expect((await project.run('push', '--prune', '--yes', '--json')).json(pushResult).pruned).toEqual([])
    await edit(project, 'locales/pl/common.json', (text) => text.replace(/,\n\s*"bye": "[^"]*"/, ''))
    await project.setText('pl', 'common', 'bye', 'Do widzenia')
    expect((await project.run('push', '--prune', '--yes', '--json')).json(pushResult).pruned).toEqual([])
    expect(await project.readText('pl', 'common', 'bye')).toBe('Do widzenia')
  })

  test('stops above half of the keys, before anything is sent', async () => {
    const project = await inSync()
    await writeTree(project.root, { 'locales/en/common.json': { title: 'Changed' }, 'locales/pl/common.json': {} })
    const run = await project.run('push', '--prune', '--yes')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('2 keys of 3 would be deleted, more than half')
    expect(await project.readText('en', 'common', 'title')).toBe('Hello')
  })

  test.each([[['--language', 'pl']], [['--customer', 'acme']]])(
    'works with --namespace only, not with %s',
    async (filter) => {
      const project = await startProject({ files: FILES, service: true })
      expect(await project.run('push', '--prune', ...filter)).toMatchObject({ code: 2, stdout: '' })
    },
  )
})

describe('pull', () => {
  test('writes what changed on the service, one line for one text', async () => {
    const project = await inSync()
    const before = await read(project, 'locales/pl/common.json')
    const untouched = await read(project, 'locales/en/common.json')
    await project.setText('pl', 'common', 'title', 'Dzień dobry')
    const dry = (await project.run('pull', '--dry-run', '--json')).json(pullResult)
    expect(dry).toMatchObject({ dryRun: true, texts: 1, files: [] })
    expect(await read(project, 'locales/pl/common.json')).toBe(before)
    const result = (await project.run('pull', '--json')).json(pullResult)
    expect(result).toMatchObject({ texts: 1, files: ['locales/pl/common.json'], conflicts: [], left: 0 })
    expect(await read(project, 'locales/pl/common.json')).toBe(before.replace('Witaj', 'Dzień dobry'))
    expect(await read(project, 'locales/en/common.json')).toBe(untouched)
    const again = await project.run('pull')
    expect(again).toMatchObject({ code: 0, stdout: 'nothing to pull: the files are up to date\n' })
  })

  test('writes an element into its place, and reports one that has none', async () => {
    const file = 'locales/en/common.json'
    const english = { steps: ['One', 2, 'Three'], team: [{ name: 'Ada', age: 36 }], on: null }
    const project = await inSync({ [file]: english, 'locales/en/other.json': { title: 'Hello' } })
    expect(await project.readText('en', 'common', 'team.0.name')).toBe('Ada')
    expect(await project.readText('en', 'common', 'steps.1')).toBeUndefined()
    const before = await read(project, file)
    await project.setText('en', 'common', 'steps.2', 'Drei')
    await addKey(project, 'steps.3', 'Four')
    await addKey(project, 'team.1.name', 'Bob')
    expect((await project.run('pull')).code).toBe(0)
    const team = [...english.team, { name: 'Bob' }]
    expect(JSON.parse(await read(project, file))).toEqual({ ...english, steps: ['One', 2, 'Drei', 'Four'], team })
    const kept = before.split('\n').filter((line) => !line.includes('Three'))
    const after = await read(project, file)
    expect(kept.filter((line) => !after.includes(line))).toEqual([])

    await addKey(project, 'steps.9', 'Ten')
    await project.setText('en', 'other', 'title', 'Hallo')
    const run = await project.run('pull')
    expect(run.code).toBe(1)
    expect(run.stdout + run.stderr).toMatch(/common\.json.*"steps\.9" cannot be written into the file/)
    expect(await read(project, file)).toBe(after)
  })

  test('a key of a deleted file goes from the service on request, like one of an emptied file', async () => {
    const project = await inSync({
      ...FILES,
      'locales/en/shop.json': { buy: 'Buy' },
      'locales/pl/shop.json': { buy: 'Kup' },
    })
    await rm(join(project.root, 'locales/en/shop.json'))
    await writeTree(project.root, { 'locales/pl/shop.json': {} })
    const done = (await project.run('push', '--prune', '--yes', '--json')).json(pushResult)
    expect(done).toMatchObject({ pruned: [{ namespace: 'shop', key: 'buy', texts: 2 }], deletedHere: 0 })
    expect(await project.readText('en', 'shop', 'buy')).toBeUndefined()
  })

  test('does not bring back what was deleted here, unless asked to', async () => {
    const project = await inSync()
    await edit(project, 'locales/pl/common.json', (text) => text.replace(/,\n\s*"bye": "[^"]*"/, ''))
    expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ texts: 0, deletedHere: 1 })
    expect((await project.run('pull', '--restore', '--json')).json(pullResult)).toMatchObject({ texts: 1 })
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toEqual({ title: 'Witaj', bye: 'Pa' })
  })

  test('a deleted file is the deletion of its texts, in every command', async () => {
    const project = await inSync()
    await rm(join(project.root, 'locales'), { recursive: true })
    const { differences } = (await project.run('diff', '--json')).json(diffResult)
    expect(differences.map(({ kind }) => kind)).toEqual(Array(5).fill('deleted-here'))
    expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 0, deletedHere: 5 })
    const prune = await project.run('push', '--prune', '--yes')
    expect(prune.stderr).toContain('3 keys of 3 would be deleted, more than half')
    expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ texts: 0, deletedHere: 5 })
    expect((await project.run('pull', '--restore', '--json')).json(pullResult)).toMatchObject({ texts: 5 })
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toEqual({ title: 'Witaj', bye: 'Pa' })
  })

  test('deletes what was deleted on the service only with --prune', async () => {
    const project = await inSync()
    await project.deleteKey('common', 'bye')
    expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ texts: 0, deletedThere: 2 })
    expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 0, deletedThere: 2 })
    expect((await project.run('pull', '--prune', '--json')).json(pullResult)).toMatchObject({
      texts: 2,
      deletedThere: 0,
    })
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toEqual({ title: 'Witaj' })
    expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 0, deletedThere: 0 })
  })

  test('a folder that links out of the project is not written to', async () => {
    const files = { 'locales/en/common.json': FILES['locales/en/common.json'] }
    const project = await startProject({ files, service: { texts: { 'pl/package': { name: 'evil' } } } })
    const outside = await tempFolder()
    await symlink(outside, join(project.root, 'locales/pl'))
    const { code, output } = await project.run('pull')
    expect([code, output]).toEqual([1, expect.stringContaining('outside the folders in the option "files"')])
    expect(await readdir(outside)).toEqual([])
  })

  test('works beside a dev server, which stands by', async () => {
    const project = await inSync()
    const events: string[] = []
    const lock = createSyncLock(project.root, async (lend) => {
      events.push('stands by')
      await lend(new AbortController().signal)
      events.push('resumes')
    })
    expect(await lock.acquire()).toBe('held')
    await project.setText('pl', 'common', 'title', 'Cześć')
    expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ texts: 1 })
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toMatchObject({ title: 'Cześć' })
    await expect.poll(() => events, { timeout: 60_000 }).toEqual(['stands by', 'resumes'])
    await lock.release()
  })
})

describe('both sides changed', () => {
  async function conflicting() {
    const project = await inSync()
    await edit(project, 'locales/pl/common.json', (text) => text.replace('Witaj', 'Hej').replace('Pa', 'Papa'))
    await project.setText('pl', 'common', 'title', 'Cześć')
    await project.setText('pl', 'common', 'bye', 'Na razie')
    return project
  }

  test('nothing is overwritten, and both commands say so', async () => {
    const project = await conflicting()
    for (const [command, schema] of [
      ['push', pushResult],
      ['pull', pullResult],
    ] as const) {
      const run = await project.run(command, '--json')
      expect(run.code).toBe(1)
      expect(run.json(schema).conflicts).toMatchObject([
        { key: 'bye', base: 'Pa', ours: 'Papa', theirs: 'Na razie' },
        { key: 'title', base: 'Witaj', ours: 'Hej', theirs: 'Cześć' },
      ])
    }
    expect(await project.readText('pl', 'common', 'title')).toBe('Cześć')
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toEqual({ title: 'Hej', bye: 'Papa' })
    const { stdout } = await project.run('diff', '--conflicts')
    expect(stdout).toContain('base    "Witaj"\n  - service "Cześć"\n  + file    "Hej"')
    expect((await project.run('diff', '--kind', 'changed-here', '--json')).json(diffResult).differences).toEqual([])
    expect(await project.run('diff', '--exit-code')).toMatchObject({ code: 1 })
  })

  test("a name on the service that is the app's name for another is an error, not left out", async () => {
    const project = await startProject({
      files: { 'localization.config.json': { defaultNamespace: 'common' } },
      service: { texts: { 'en/common': { title: 'Title' } } },
    })
    const { code, stderr } = await project.run('pull')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('"common", which the option defaultNamespace gives to ""'),
    ])
  })

  test('resolve decides by pattern, each side carried out where it belongs', async () => {
    const project = await conflicting()
    expect(await project.run('resolve')).toMatchObject({ code: 2, stdout: '' })
    expect(await project.run('resolve', '--ours', '--theirs')).toMatchObject({ code: 2 })
    const dry = (await project.run('resolve', '--ours', '--dry-run', '--json')).json(resolveResult)
    expect(dry.resolved).toHaveLength(2)
    expect(await project.readText('pl', 'common', 'title')).toBe('Cześć')
    const ours = (await project.run('resolve', '--ours', 'ti*', '--json')).json(resolveResult)
    expect(ours).toMatchObject({ resolved: [{ key: 'title', side: 'ours' }], left: [{ key: 'bye' }], failures: [] })
    expect(await project.readText('pl', 'common', 'title')).toBe('Hej')
    const theirs = await project.run('resolve', '--theirs')
    expect(theirs).toMatchObject({ code: 0 })
    expect(theirs.stdout).toContain("resolved 1 conflict: 0 with the file's text, 1 with the service's")
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toEqual({ title: 'Hej', bye: 'Na razie' })
    expect(await project.run('diff')).toMatchObject({ code: 0, stdout: 'no difference\n' })
  })

  test('resolve --theirs takes a deletion on the service, too', async () => {
    const project = await inSync()
    await edit(project, 'locales/pl/common.json', (text) => text.replace('Pa', 'Papa'))
    await project.deleteKey('common', 'bye')
    expect((await project.run('resolve', '--theirs', '--json')).json(resolveResult).resolved).toHaveLength(1)
    expect(JSON.parse(await read(project, 'locales/pl/common.json'))).toEqual({ title: 'Witaj' })
  })

  test('a text that both sides had, without a base, is not new when one side deletes it', async () => {
    const project = await startProject({
      files: { 'locales/en/common.json': { here: 'Ours', there: 'Ours too', own: 'Own' } },
      service: true,
    })
    await addKey(project, 'here', 'Theirs')
    await addKey(project, 'there', 'Theirs too')
    const first = (await project.run('push', '--json')).json(pushResult)
    expect(first).toMatchObject({
      texts: 1,
      conflicts: [
        { key: 'here', base: null },
        { key: 'there', base: null },
      ],
    })
    await project.deleteKey('common', 'there')
    await writeTree(project.root, { 'locales/en/common.json': { there: 'Ours too', own: 'Own' } })
    const { differences } = (await project.run('diff', '--json')).json(diffResult)
    expect(differences).toMatchObject([
      { key: 'here', kind: 'deleted-here' },
      { key: 'there', kind: 'deleted-there' },
    ])
    expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 0, conflicts: [] })
    expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ texts: 0, conflicts: [] })
    expect(await project.readText('en', 'common', 'there')).toBeUndefined()
    expect(JSON.parse(await read(project, 'locales/en/common.json'))).toEqual({ there: 'Ours too', own: 'Own' })
  })

  test('a text that both sides deleted is not new when a branch brings it back', async () => {
    const project = await inSync()
    const before = await read(project, 'locales/pl/common.json')
    await edit(project, 'locales/pl/common.json', (text) => text.replace('Pa', 'Papa'))
    const edited = await read(project, 'locales/pl/common.json')
    await project.deleteKey('common', 'bye')
    for (const content of [before, edited]) {
      await rm(join(project.root, 'locales'), { recursive: true })
      await project.run('push')
      await writeTree(project.root, { 'locales/pl/common.json': JSON.parse(before) })
      expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 0, deletedThere: 1 })
      await writeTree(project.root, { 'locales/pl/common.json': JSON.parse(content) })
    }
    expect(await project.readText('pl', 'common', 'bye')).toBeUndefined()
    await edit(project, 'locales/pl/common.json', (text) => text.replace('Papa', 'Na razie'))
    expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 1, deletedThere: 0 })
  })
})

describe('status', () => {
  test('counts per language and namespace', async () => {
    const project = await inSync()
    await edit(project, 'locales/pl/common.json', (text) => text.replace('Witaj', 'Hej'))
    const run = await project.run('status', '--json')
    expect(run.code).toBe(0)
    const { parts, languages, defaultLanguage } = run.json(statusResult)
    expect(defaultLanguage).toBe('en')
    expect(parts.find(({ language }) => language === 'pl')).toEqual({
      language: 'pl',
      namespace: 'common',
      texts: 2,
      expected: 3,
      translated: 2,
      covered: 3,
      stale: 0,
      reviewed: 0,
      differing: 1,
      conflicts: 0,
      held: 0,
    })
    expect(languages.map(({ language }) => language)).toEqual(expect.arrayContaining(['en', 'pl']))
    const { stdout } = await project.run('status', '--language', 'pl')
    expect(stdout).toMatch(/pl +common +2\/3 +66\.6% +100% +1$/m)
    expect((await project.run('status', '--by-language')).stdout).not.toContain('namespace')
  })

  test('offline it asks nobody', async () => {
    const project = await startProject({ files: FILES, service: true })
    const result = (await project.run('status', '--offline', '--json')).json(statusResult)
    expect(result.parts).toMatchObject([
      { language: 'en', reviewed: null, differing: null },
      { language: 'pl', held: null },
    ])
    expect(project.requests.filter((line) => !line.endsWith('/projects'))).toEqual([])
  })
})
