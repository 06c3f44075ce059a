/**
 * An app whose page shows every text it can get, again after each update; a rendering that was overtaken shows nothing.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { WatchedPage } from './browser.ts'

export const LIVE_MAIN = `
import { languages, namespaces, load, onUpdate } from 'virtual:translations'
let latest = 0
async function render() {
  const own = ++latest
  const texts = {}
  for (const { key } of languages) {
    texts[key] = {}
    for (const namespace of namespaces) texts[key][namespace] = { ...(await load(key, namespace)) }
  }
  if (own === latest) document.body.dataset.texts = JSON.stringify(texts)
}
render()
onUpdate(render)
`

/** Language, namespace, key. */
export type ShownTexts = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

export async function shownTexts({ page }: WatchedPage): Promise<ShownTexts> {
  return JSON.parse((await page.evaluate<string>('document.body.dataset.texts')) ?? '{}') as ShownTexts
}

/** Saves as an editor does that writes in place. */
export async function save(path: string, content: object | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
}
