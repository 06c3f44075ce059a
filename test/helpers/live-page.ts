/**
 * An app whose page shows every text it can get, again after each update; a rendering that was overtaken shows nothing.
 */
import { expect } from 'vitest'
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

/**
 * Waits until `part` of the shown texts is as expected. The page is asked again when it shows something else: asking it
 * all the time takes the processor that the dev server needs.
 */
export async function showsTexts(
  { page }: WatchedPage,
  part: (texts: ShownTexts) => unknown,
  expected: unknown,
): Promise<void> {
  const until = Date.now() + 90_000
  for (;;) {
    const text = (await page.evaluate<string>('document.body.dataset.texts')) ?? '{}'
    const found = part(JSON.parse(text) as ShownTexts)
    if (isEqual(found, expected) || Date.now() > until) return expect(found).toEqual(expected)
    const isOther = `(document.body?.dataset.texts ?? '{}') !== ${JSON.stringify(text)}`
    await page.waitForFunction(isOther, undefined, { polling: 20, timeout: until - Date.now() + 1 }).catch(() => {})
  }
}

function isEqual(found: unknown, expected: unknown): boolean {
  try {
    expect(found).toEqual(expected)
    return true
  } catch {
    return false
  }
}
