/** The apps of `prune.mjs`. Each builds itself into a folder, with the options that it is given. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { languageNames } from './catalog.mjs'
import { buildHeadlamp, copyHeadlamp, languagesOf, useThePlugin } from './headlamp.mjs'

const repository = join(import.meta.dirname, '../..')
const LANGUAGES = ['en', 'de']

/** An app of i18next: a start page, and routes that are loaded when they are opened. */
export function generatedApp(folder, { routes, keys }) {
  const names = Array.from({ length: routes }, (_, index) => `route${index}`)
  const list = (prefix, count) => Array.from({ length: count }, (_, index) => `${prefix}.text${index}`)
  const calls = (prefix) => list(prefix, keys).map((key) => `t('${key}')`)
  write(folder, 'index.html', '<!doctype html><html lang="en"><body><script type="module" src="/src/main.js"></script>')
  write(
    folder,
    'src/main.js',
    `import i18next from 'i18next'
import { createBackend } from 'unplugin-localization/i18next'
import * as translations from 'virtual:translations'
const routes = [${names.map((name) => `{ label: 'menu.${name}', open: () => import('./${name}.js') }`)}]
const lng = navigator.language
await i18next.use(createBackend(translations)).init({ lng, fallbackLng: false, ns: ['app'], defaultNS: 'app' })
const { t } = i18next
document.body.append(...routes.map((route) => t(route.label)), ${calls('home')})
globalThis.open = (index) => routes[index].open()
`,
  )
  for (const name of names)
    write(folder, `src/${name}.js`, `import { t } from 'i18next'\ndocument.body.append(${calls(name)})\n`)
  for (const language of LANGUAGES) {
    // A quarter is used by no code.
    const all = ['home', ...names, 'old'].flatMap((name) => list(name, keys))
    const texts = [...names.map((name) => `menu.${name}`), ...all, ...list('older', (routes * keys) / 4)]
    const messages = Object.fromEntries(texts.map((key) => [key, `${language}: a sentence of the app, ${key}`]))
    write(folder, `locales/${language}/app.json`, JSON.stringify(messages))
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'dir')
  return viteApp('generated', folder, {})
}

/** A page of one call, for the cost of `keep`. Every key but one is kept. */
export function keptApp(folder, { languages, keys, names }) {
  write(folder, 'index.html', '<!doctype html><html lang="en"><body><script type="module" src="/src/main.js"></script>')
  write(
    folder,
    'src/main.js',
    `import { load } from 'virtual:translations'
const messages = await load('en', 'app')
const t = (key) => messages[key]
document.body.append(t('home.text0'))
`,
  )
  const texts = Array.from({ length: keys }, (_, index) => [`errors.e${index * 2}`, `a sentence of the app, ${index}`])
  const content = JSON.stringify(Object.fromEntries([['home.text0', 'Home'], ...texts]))
  for (const language of languageNames(languages)) write(folder, `locales/${language}/app.json`, content)
  const list = Array.from({ length: names }, (_, index) => `errors.e${index}`)
  const app = viteApp('keep', folder, { ignoreIn: ['src/main.js'] })
  return {
    ...app,
    variants: [
      ['without prune', undefined],
      ['one glob', ['errors.*']],
      ['names', list],
      ['globs', list.map((name) => `${name}*`)],
    ],
  }
}

export function playground(folder) {
  for (const name of ['index.html', 'src', 'locales'])
    cpSync(join(repository, 'playground', name), join(folder, name), { recursive: true })
  return viteApp('playground', folder, { ignoreIn: ['src/texts.ts'] })
}

function viteApp(title, root, ownPrune) {
  return {
    title,
    languages: () => LANGUAGES.map((language) => ({ language, bytes: sizeOf(join(root, 'locales', language)) })),
    texts: (language) => join(root, 'dist/assets/localization', language),
    output: join(root, 'dist'),
    async build(prune) {
      const { build } = await import('vite')
      const { default: localization } = await import(pathToFileURL(join(repository, 'dist/vite.js')).href)
      const own = { defaultLanguage: 'en', report: false, prune: prune && { ...ownPrune, ...prune } }
      const startedAt = performance.now()
      await build({
        root,
        configFile: false,
        logLevel: 'silent',
        resolve: { alias: { 'unplugin-localization/i18next': join(repository, 'dist/i18next.js') } },
        plugins: [localization({ configFile: false, ...own })],
        build: { target: 'es2022' },
      })
      return performance.now() - startedAt
    },
  }
}

/** With all of its languages: its maintainers would build no fewer. */
export async function headlamp(folder, tarball) {
  await copyHeadlamp(folder)
  const languages = await languagesOf(folder)
  await useThePlugin(folder, { tarball })
  const path = join(folder, 'localization.config.json')
  const config = JSON.parse(readFileSync(path, 'utf8'))
  return {
    title: 'headlamp',
    languages: () => languages,
    texts: (language) => join(folder, 'build/assets/localization', language),
    output: join(folder, 'build'),
    async build(prune) {
      writeFileSync(path, JSON.stringify({ ...config, prune }))
      return (await buildHeadlamp(folder)).seconds * 1000
    },
  }
}

/** Bytes of all files of a folder. */
export function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

function write(folder, name, content) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}
