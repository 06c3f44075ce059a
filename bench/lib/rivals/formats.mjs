/** One catalog in the file formats of other libraries. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { languageNames, namespacesOf } from '../catalog.mjs'

/** What stands for each placeholder, so that a message that was put together reads as it was written. */
export const PLACEHOLDERS = { name: '{name}', count: '{count}', value: '{value}' }

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** gettext, the default of Lingui, with keys as explicit ids. */
export function writePoFiles(root, size) {
  for (const { namespace, texts } of namespacesOf(size)) {
    for (const [language, messages] of Object.entries(texts)) {
      const head = `msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Language: ${language}\\n"\n`
      const entries = Object.entries(messages).map(
        ([key, text]) => `#. js-lingui-explicit-id\nmsgid ${JSON.stringify(key)}\nmsgstr ${JSON.stringify(text)}\n`,
      )
      write(join(root, 'locales', language, `${namespace}.po`), [head, ...entries].join('\n'))
    }
  }
}

/** An inlang project: one file for each language, since a message has no namespace but in its name. */
export function writeMessageFiles(root, size, named) {
  const all = Object.fromEntries(languageNames(size.languages).map((language) => [language, {}]))
  for (const { namespace, texts } of namespacesOf(size)) {
    for (const [language, messages] of Object.entries(texts)) {
      for (const [key, text] of Object.entries(messages)) all[language][named(namespace, key)] = text
    }
  }
  for (const [language, messages] of Object.entries(all)) {
    write(join(root, 'messages', `${language}.json`), `${JSON.stringify(messages, null, 2)}\n`)
  }
  const module = new URL('../../node_modules/@inlang/plugin-message-format/dist/index.js', import.meta.url)
  const settings = {
    baseLocale: 'en',
    locales: languageNames(size.languages),
    modules: [fileURLToPath(module)],
    'plugin.inlang.messageFormat': { pathPattern: './messages/{locale}.json' },
  }
  write(join(root, 'project.inlang/settings.json'), JSON.stringify(settings, null, 2))
}
