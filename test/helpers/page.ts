/** A page as people use it who have a keyboard only, or a screen reader. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The id or type of what has the focus, its name, and its column. */
export const focused = (page: Page) =>
  page.evaluate<string>(`(({ id, type = '', ariaLabel, labels, textContent, dataset, localName }) =>
    localName === 'body'
      ? ''
      : [id || type, ariaLabel || labels?.[0]?.textContent || textContent, dataset.at ?? ''].join(' ')
  )(document.activeElement)`)

/** Presses a key until the focus is on what is wanted. */
export async function pressTo(page: Page, key: string, wanted: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (wanted.test(await focused(page))) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not bring the focus to ${wanted}: ${await focused(page)}`)
}

/** What axe-core finds in the whole page. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(axeFile, 'utf8'))
  const result = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run(document)')
  return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** Holds Alt in an app's page until the outlines are there. */
export async function holdAlt(page: Page): Promise<void> {
  const outlined = 'document.querySelector("localization-edit")?.shadowRoot.querySelector(".box[data-key]") != null'
  await expect
    .poll(
      async () => {
        if (await page.evaluate(outlined)) return true
        // The editor may not have been loaded at the first press.
        await page.keyboard.up('Alt')
        await page.keyboard.down('Alt')
        return false
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(true)
}
