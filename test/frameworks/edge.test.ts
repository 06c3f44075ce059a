/**
 * Servers without Node: many requests at once, each in its own language. And what pages and workers load keeps nothing
 * that requests could share, and asks for nothing that only Node has.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { installPackage } from '../helpers/consumer.ts'
import { missingRuntime, startWorker, workerBuilds, workerRuntimes } from '../helpers/edge.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LANGUAGES = ['en', 'de', 'pl', 'fr', 'es', 'it', 'nl', 'sv', 'cs', 'pt']
const NAMESPACES = ['common', 'shop', 'account']
const REQUESTS = 200

/** Every text names its language. */
const textOf = (language: string, namespace: string, key: string) => `<${language}> ${namespace} ${key}`
const KEYS = ['title', 'text', 'more']

/** With no library, and with each glue whose library runs without a page. One instance for each request. */
const WORKER = `
import i18next from 'i18next'
import { createBackend } from 'unplugin-localization/i18next'
import { createIntlStore } from 'unplugin-localization/react-intl'
import * as translations from 'virtual:translations'
import * as english from 'virtual:translations/en'

export default {
  async fetch(request) {
    try {
      return Response.json(await answer(new URL(request.url).searchParams.get('language')))
    } catch (error) {
      return new Response(String(error.stack), { status: 500 })
    }
  },
}

async function answer(language) {
  const loaded = translations.loadLanguage(language)
  const i18n = i18next.createInstance()
  i18n.use(createBackend(translations))
  await i18n.init({ lng: language, fallbackLng: false, ns: ${JSON.stringify(NAMESPACES)} })
  const store = createIntlStore(translations)
  await store.setLanguage(language)
  const { locale, messages } = store.getSnapshot()
  return {
    locale,
    messages,
    loaded: await loaded,
    translated: ${JSON.stringify(NAMESPACES)}.map((namespace) => i18n.t('title', { ns: namespace })),
    isEnglish: language === 'en' && english.default.common.title === i18n.t('title', { ns: 'common' }),
  }
}
`

const FILES = {
  'package.json': { private: true, type: 'module' },
  'worker.js': WORKER,
  ...Object.fromEntries(
    LANGUAGES.flatMap((language) =>
      NAMESPACES.map((namespace) => [
        `locales/${language}/${namespace}.json`,
        Object.fromEntries(KEYS.map((key) => [key, textOf(language, namespace, key)])),
      ]),
    ),
  ),
}

const OPTIONS = { configFile: false, defaultLanguage: 'en', report: false } as const

const expectedOf = (language: string) => ({
  locale: language,
  messages: Object.fromEntries(
    NAMESPACES.flatMap((namespace) => KEYS.map((key) => [`${namespace}.${key}`, textOf(language, namespace, key)])),
  ),
  loaded: Object.fromEntries(
    NAMESPACES.map((namespace) => [
      namespace,
      Object.fromEntries(KEYS.map((key) => [key, textOf(language, namespace, key)])),
    ]),
  ),
  translated: NAMESPACES.map((namespace) => textOf(language, namespace, 'title')),
  isEnglish: language === 'en',
})

const missing = new Map<string, boolean>()
for (const runtime of workerRuntimes) missing.set(runtime.name, await missingRuntime(runtime))

describe.each(workerBuilds)('$name', ({ name, build }) => {
  let root = ''
  beforeAll(async () => {
    root = await tempFolder()
    await installPackage(root)
    await writeTree(root, FILES)
    await build(root, OPTIONS)
  })

  for (const runtime of workerRuntimes) {
    test.skipIf(missing.get(runtime.name))(
      `${runtime.name}: ${REQUESTS} requests at once, each in one of ${LANGUAGES.length} languages`,
      async () => {
        const address = await startWorker(runtime, root)
        const asked = Array.from({ length: REQUESTS }, (_, i) => LANGUAGES[i % LANGUAGES.length] as string)
        const answers = await Promise.all(
          asked.map(async (language) => {
            const response = await fetch(`${address}/?language=${language}`)
            return { language, status: response.status, body: await response.text() }
          }),
        )
        for (const { language, status, body } of answers) {
          expect(status, `${name}, ${runtime.name}: ${body}`).toBe(200)
          expect(new Set(body.match(/(?<=<)\w+(?=> )/g))).toEqual(new Set([language]))
          expect(JSON.parse(body)).toEqual(expectedOf(language))
        }
      },
    )
  }
})

describe('what pages and workers load names nothing of Node', () => {
  const NODE = /\b(?:process|require|Buffer|__dirname|__filename)\b|["']node:/g
  const GLUE = `import * as i18next from 'unplugin-localization/i18next'
import * as vue from 'unplugin-localization/vue-i18n'
import * as intl from 'unplugin-localization/react-intl'
import * as translations from 'virtual:translations'
export default { fetch: () => Response.json([i18next, vue, intl, translations].map((module) => Object.keys(module))) }
`

  test.each(workerBuilds)('the output of $name', async ({ build }) => {
    const root = await tempFolder()
    await installPackage(root)
    await writeTree(root, { ...FILES, 'worker.js': GLUE })
    await build(root, OPTIONS)
    const files = await readdir(join(root, 'dist'), { recursive: true })
    const scripts = files.filter((name) => name.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(LANGUAGES.length)
    for (const name of scripts)
      expect([name, (await readFile(join(root, 'dist', name), 'utf8')).match(NODE)]).toEqual([name, null])
  })

  test('the package itself', async () => {
    const files = (await readdir(join(repository, 'dist'))).filter((name) =>
      /^(?:page-.*|runtime|i18next|vue-i18n|react-intl)\.js$/.test(name),
    )
    expect(files.length).toBeGreaterThan(3)
    for (const name of files) {
      const code = await readFile(join(repository, 'dist', name), 'utf8')
      expect([name, code.match(NODE)]).toEqual([name, null])
    }
  })
})
