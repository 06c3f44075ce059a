/** What a build asks of the service when it downloads, and of hosting when nothing changed since; Vite. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runBuild } from './build.mjs'
import { languageNames, messagesOf, namespaceNames, textCount } from './catalog.mjs'
import { printTable, seconds, whole } from './print.mjs'
import { removeFolder, startChild, tempFolder } from './processes.mjs'
import { call, createProject, importTexts } from './service-calls.mjs'
import { median } from './stats.mjs'

const HOUR_MS = 3_600_000

export async function measureServiceBuilds({ dist, size, rounds }) {
  const [languages, namespaces] = [languageNames(size.languages), namespaceNames(size.namespaces)]
  // Its texts are two hours old: what changed a moment ago is downloaded again.
  const service = await startChild('service-host.mjs', {
    languages,
    countAnswers: true,
    clockBehindMs: 2 * HOUR_MS,
    fileLifetimeMs: 24 * HOUR_MS,
  })
  const { apiKey, headers } = await createProject(service)
  const scope = { baseUrl: service.baseUrl, headers }
  for (const [n, namespace] of namespaces.entries()) {
    const texts = languages.map((language, i) => [language, messagesOf(size, i, n)])
    await importTexts(scope, namespace, Object.fromEntries(texts))
  }
  for (const environment of ['_latest', '_production'])
    await call(`${service.baseUrl}/api/v2/environments/${environment}/publish`, { method: 'POST', headers })
  /** What was asked since the last time, and how many bytes were answered. */
  const asked = async () => {
    const answer = once(service.child, 'message')
    service.child.send('count')
    return (await answer)[0]
  }

  const rows = []
  for (const source of ['export', 'query', 'hosting']) {
    const root = tempFolder()
    writeFileSync(
      join(root, 'main.js'),
      "import { load } from 'virtual:translations'\nglobalThis.show = (language, namespace) => load(language, namespace)\n",
    )
    const own = { apiKey, baseUrl: service.baseUrl, cdnUrl: service.cdnUrl }
    const options = { root, configFile: false, source, service: own, report: 'json' }
    const build = async () => {
      await asked()
      const { wall } = await runBuild({
        bundler: 'vite',
        root,
        outDir: 'out',
        plugins: [{ from: join(dist, 'vite.js'), options }],
      })
      const { ms } = JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8'))
      return { wall, ...ms, ...(await asked()) }
    }
    const add = (what, runs) => {
      const of = (field) => median(runs.map((run) => run[field]))
      rows.push([
        `${source}, ${what}`,
        whole(of('requests')),
        whole(of('bytes') / 1000),
        seconds(of('wall')),
        whole(of('load')),
        whole(of('write')),
      ])
    }
    add('first build', [await build()])
    if (source === 'hosting') {
      const runs = []
      for (let i = 0; i < rounds; i++) runs.push(await build())
      add('nothing changed', runs)
    }
    removeFolder(root)
  }
  await service.end()
  printTable(
    `Vite, texts from the service: ${size.languages} languages, ${size.namespaces} namespaces, ${whole(textCount(size))} texts; nothing changed: median of ${rounds}`,
    ['', 'requests', 'KB answered', 'wall s', 'load ms', 'write ms'],
    rows,
  )
}
