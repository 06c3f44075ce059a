/**
 * `npm run pictures`: the pictures of README.md, light and dark, from a copy of the playground on Vite's dev server with
 * the local service. Needs Chromium (`CHROMIUM_PATH`, else /usr/bin/chromium). `--out <folder>` writes elsewhere.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { build } from './build.mjs'
import { composeEdit } from './pictures/compose.mjs'

const { values } = parseArgs({
  options: { out: { type: 'string', default: resolve(import.meta.dirname, '../pictures') } },
})
/** README shows the pictures 860 pixels wide: two pixels of the file for each. */
const SCALE = 2
const QUALITY = 0.82
const SLOW = 30_000

await build({ types: false, ifChanged: true })
// It imports the package.
const { startStage, TITLE } = await import('./pictures/stage.mjs')
const stage = await startStage()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
const context = await browser.newContext({
  reducedMotion: 'reduce',
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
  deviceScaleFactor: SCALE,
})
context.setDefaultTimeout(SLOW)
const encoder = await context.newPage()
try {
  await mkdir(values.out, { recursive: true })
  await stage.change()
  await takeEdit()
  await takeInspector()
  await takeAltClick()
} finally {
  await browser.close()
  await stage.close()
}

async function openPage(path, viewport) {
  const page = await context.newPage()
  await page.setViewportSize(viewport)
  // The inspector shows the date of contacts that were not today.
  await page.clock.setFixedTime(new Date())
  await page.goto(`${stage.address}${path}`)
  return page
}

/** What `take` resolves to in the light and in the dark. */
async function inBoth(page, take) {
  const taken = {}
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    taken[colorScheme] = await take(colorScheme)
  }
  return taken
}

/** Chromium's own encoder makes the files. */
async function save(name, pictures) {
  for (const [colorScheme, png] of Object.entries(pictures)) {
    const address = await encoder.evaluate(encode, { png: png.toString('base64'), quality: QUALITY })
    const picture = Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
    await writeFile(join(values.out, `${name}-${colorScheme}.webp`), picture)
  }
}

/** Runs in the page. */
async function encode({ png, quality }) {
  const image = new Image()
  image.src = `data:image/png;base64,${png}`
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  canvas.getContext('2d').drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', quality)
}

/** The file, and the page before and after it was saved. */
async function takeEdit() {
  const page = await openPage('/', { width: 1000, height: 560 })
  const crop = () => page.screenshot({ clip: { x: 0, y: 0, width: 1000, height: 412 } })
  await page.locator('h1', { hasText: TITLE.before }).waitFor()
  await page.locator('[data-tea="mint"] .add').click()
  await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)')
  const before = await inBoth(page, crop)
  const lines = await stage.writeTitle(TITLE.after)
  await page.locator('h1', { hasText: TITLE.after }).waitFor()
  await stage.waitForService(TITLE.after)
  const after = await inBoth(page, crop)
  await stage.writeTitle(TITLE.before)
  await stage.waitForService(TITLE.before)
  await page.close()
  await encoder.setViewportSize({ width: 860, height: 484 })
  const whole = await inBoth(encoder, async (scheme) => {
    await encoder.setContent(composeEdit({ before: before[scheme], after: after[scheme], lines }))
    await encoder.evaluate('Promise.all([...document.images].map((image) => image.decode()))')
    return encoder.screenshot()
  })
  await save('edit', whole)
}

async function takeInspector() {
  const page = await openPage('/__localization/#/texts?namespace=shop&key=list.count_one&of=shop', {
    width: 1280,
    height: 720,
  })
  // A row, and the fields of the open text.
  await page.getByText('Harvest {{year}}').first().waitFor()
  await page.getByRole('textbox').nth(6).waitFor()
  await page.getByText(/^Used in/).waitFor()
  await save('inspector', await inBoth(page, () => page.screenshot()))
}

async function takeAltClick() {
  const page = await openPage('/?language=pl', { width: 1000, height: 660 })
  await page.waitForSelector('html[lang="pl"] [data-text]')
  await page.keyboard.down('Alt')
  await page.locator('localization-edit .box').first().waitFor()
  await page.locator('h1').click({ modifiers: ['Alt'] })
  await page.getByRole('dialog', { name: 'Translation' }).waitFor()
  await page.getByRole('textbox').nth(1).waitFor()
  await page.getByText(/^Used in/).waitFor()
  await page.keyboard.up('Alt')
  // The outlines again, beside the editor.
  await page.keyboard.down('Alt')
  await page.locator('localization-edit .box').first().waitFor()
  await save('alt-click', await inBoth(page, () => page.screenshot()))
}
