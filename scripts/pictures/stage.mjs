/** A copy of the playground in a temporary folder, on Vite's dev server, with the local service behind it. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createClient } from 'unplugin-localization/client'
import localization from 'unplugin-localization/vite'
import { createServer } from 'vite'
import { startService } from '../../playground/start/service.mjs'

const HOST = '127.0.0.1'
const REPOSITORY = resolve(import.meta.dirname, '../..')
const LIMIT_MS = 60_000
/** The text that the picture of an edit shows, as the playground has it and as it is saved. */
export const TITLE = { before: 'Good tea, and the time to drink it.', after: 'Good tea, and the time to share it.' }
const OF = { language: 'en', namespace: 'shop', key: 'hero.title' }

export async function startStage() {
  const folder = await mkdtemp(join(tmpdir(), 'localization-pictures-'))
  // The inspector shows the folder's name.
  const root = join(folder, 'tealight')
  for (const name of ['index.html', 'src', 'locales'])
    await cp(join(REPOSITORY, 'playground', name), join(root, name), { recursive: true })
  const service = await startService({ dataDir: join(folder, 'service'), host: HOST, port: 0 })
  const { baseUrl, apiKey } = service
  const server = await createServer({
    configFile: false,
    root,
    cacheDir: join(folder, 'cache'),
    logLevel: 'error',
    server: { host: HOST, port: 0, fs: { allow: [root, REPOSITORY] } },
    plugins: [
      localization({ root, configFile: false, defaultLanguage: 'en', edit: true, service: { baseUrl, apiKey } }),
    ],
  })
  await server.listen()
  const client = createClient({ baseUrl, apiKey })
  const file = join(root, 'locales/en/shop.json')

  async function serviceText(of) {
    for await (const { text } of client.translations.queryAll(of)) return text
    return undefined
  }

  const waitForService = (of, text) =>
    until(async () => (await serviceText(of)) === text, `the service did not get ${JSON.stringify(text)}`)

  async function replaceIn(name, before, after) {
    const path = join(root, 'locales', name)
    await writeFile(path, (await readFile(path, 'utf8')).replace(before, after))
  }

  const textOf = async (name, branch, key) =>
    JSON.parse(await readFile(join(root, 'locales', name), 'utf8'))[branch][key]

  // An edit before the first comparison with the service would be a conflict.
  await until(() => hasBase(root), 'the first sync did not end')

  return {
    address: `http://${HOST}:${server.httpServer.address().port}`,
    /** Saves the file with another text. Resolves to its lines around this text. */
    async writeTitle(text) {
      const before = (await readFile(file, 'utf8')).split('\n')
      const at = before.findIndex((line) => line.includes('"title":') && /Good tea/.test(line))
      const line = before[at].replace(/Good tea[^"]*/, text)
      await writeFile(file, before.with(at, line).join('\n'))
      return { above: before.slice(0, at), removed: before[at], added: line, below: before.slice(at + 1, at + 9) }
    },
    waitForService: (text) => waitForService(OF, text),
    /** Something to see in the inspector: a conflict, and translations of a source that changed. */
    async change() {
      await client.translations.set({ ...OF, language: 'de', key: 'hero.eyebrow', text: 'Ernte des Jahres {{year}}' })
      await replaceIn('de/shop.json', 'Ernte {{year}}', 'Frisch geerntet {{year}}')
      await replaceIn('en/shop.json', 'Six teas from growers', 'Seven teas from growers')
      const lead = await textOf('en/shop.json', 'hero', 'lead')
      await waitForService({ ...OF, key: 'hero.lead' }, lead)
    },
    async close() {
      await client.close()
      await server.close()
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function until(isTrue, message) {
  for (const end = Date.now() + LIMIT_MS; !(await isTrue()); ) {
    if (Date.now() > end) throw new Error(message)
    await new Promise((wake) => setTimeout(wake, 100))
  }
}

/** Whether the sync has kept the texts that both sides have in common. */
async function hasBase(root) {
  const folder = join(root, '.localization/sync')
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const journal = names.find((name) => name.endsWith('journal.jsonl'))
  return journal !== undefined && (await readFile(join(folder, journal), 'utf8')).includes('["base"')
}
