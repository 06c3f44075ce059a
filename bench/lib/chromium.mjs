/** A real Chromium, with everything off that would speak to the network by itself. */
import { accessSync, constants } from 'node:fs'
import { chromium } from 'playwright-core'

/** Where Chromium is: `CHROMIUM_PATH`, else where Debian puts it; `undefined` when there is none. */
export function findChromium() {
  const path = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}

export function launchChromium() {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet]
  return chromium.launch({ executablePath: findChromium(), args })
}

/**
 * A page whose app calls `globalThis.shown(text)` when it shows a text; `seen(text)` resolves to when it did, in ms
 * since 1970.
 */
export async function openPage(browser, address) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const times = new Map()
  const waiting = new Map()
  await page.exposeFunction('reportShown', (text, at) => {
    times.set(text, at)
    waiting.get(text)?.(at)
  })
  await page.addInitScript(() => {
    globalThis.shown = (text) => {
      document.body.textContent = text
      globalThis.reportShown(text, Date.now())
    }
  })
  await page.goto(address)
  return {
    page,
    seen: (text, limitMs = 60_000) =>
      new Promise((resolve, reject) => {
        if (times.has(text)) return resolve(times.get(text))
        const timer = setTimeout(() => reject(new Error(`${JSON.stringify(text)} did not come to the page`)), limitMs)
        waiting.set(text, (at) => {
          clearTimeout(timer)
          resolve(at)
        })
      }),
    close: () => context.close(),
  }
}
