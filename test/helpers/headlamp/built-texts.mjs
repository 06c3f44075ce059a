/** The module `virtual:translations` over the built texts: of the first page, or of the whole app. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { output, isFirstPage } = JSON.parse(process.env.TEXTS)
const folders = await readdir(output, { withFileTypes: true })

export const languages = folders.filter((entry) => entry.isDirectory()).map(({ name }) => ({ key: name }))
export const onUpdate = () => () => {}
export const has = (language) => languages.some(({ key }) => key === language)

export async function load(language, namespace) {
  if (!has(language)) throw new Error(`unknown language ${language}`)
  const messages = {}
  for (const file of await readdir(join(output, language))) {
    const [own, part] = file.split('.')
    if (own !== namespace || (isFirstPage && part === 'chunk')) continue
    const module = await import(/* @vite-ignore */ pathToFileURL(join(output, language, file)).href)
    Object.assign(messages, module.default)
  }
  return messages
}
