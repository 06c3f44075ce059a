/** The local service and the playground's project in it. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from 'unplugin-localization/client'
import { createLocalService } from 'unplugin-localization/service'

const PROJECT = 'playground'
const LOCALES = new URL('../locales/', import.meta.url)

/** Starts the service; on the first start its project is made and the catalog imported, later ones find both. */
export async function startService({ dataDir, host, port }) {
  await mkdir(dataDir, { recursive: true })
  const service = await createLocalService({ dataDir, host, port, defaultLanguage: 'en' })
  const { baseUrl, cdnUrl, personalToken } = service
  try {
    const project = await findOrCreateProject({ baseUrl, personalToken })
    const client = createClient({ baseUrl, apiKey: project.apiKey })
    try {
      const imported = await importOnce(client, join(dataDir, `imported-${project.projectToken}`))
      const what = imported ? 'imported playground/locales' : 'kept from an earlier start'
      return {
        baseUrl,
        cdnUrl,
        apiKey: project.apiKey,
        summary: `${await figures(client)}; ${what}`,
        close: () => service.close(),
      }
    } finally {
      await client.close()
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

async function findOrCreateProject(access) {
  const client = createClient(access)
  try {
    const projects = await client.projects.list()
    return projects.find(({ name }) => name === PROJECT) ?? (await client.projects.create({ name: PROJECT }))
  } finally {
    await client.close()
  }
}

/**
 * The mark is written last: an import that was cut short is taken up again, and texts that are there stay as they are.
 */
async function importOnce(client, mark) {
  if (await exists(mark)) return false
  for (const language of await readdir(LOCALES)) {
    for (const file of await readdir(new URL(`${language}/`, LOCALES))) {
      await client.imports.upload({
        uploadFormat: 'single-language-json',
        languageKey: language,
        namespace: basename(file, '.json'),
        file: { path: fileURLToPath(new URL(`${language}/${file}`, LOCALES)) },
        fileName: file,
      })
    }
  }
  await writeFile(mark, `${new Date().toISOString()}\n`)
  return true
}

function exists(path) {
  return readFile(path).then(
    () => true,
    () => false,
  )
}

async function figures(client) {
  const languages = new Set()
  const namespaces = new Set()
  let texts = 0
  for await (const { language, namespace } of client.translations.queryAll({ textStatus: 'NOT_EMPTY' })) {
    languages.add(language)
    namespaces.add(namespace)
    texts++
  }
  return `${languages.size} languages, ${namespaces.size} namespaces, ${texts} texts`
}
