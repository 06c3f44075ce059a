/**
 * A broken file shows in the overlay of webpack's and Rspack's dev servers, whatever their commands set, and goes with
 * the mend.
 */
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, noChromium, openPage } from '../helpers/browser.ts'
import { devServers } from '../helpers/dev-servers.ts'
import { LIVE_MAIN, save } from '../helpers/live-page.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** Rsbuild's overlay shows errors alone: a broken file is a warning, in its terminal. */
const kinds = devServers.filter(({ name }) => name === 'webpack' || name === 'rspack')

/** As `rspack serve` has it, which sets this where the project sets nothing. */
const ERRORS_ALONE = { overlay: { errors: true, warnings: false } }

let browser: Browser
beforeAll(async () => {
  if (!noChromium) browser = await launchChromium()
})
afterAll(() => browser?.close())

describe.skipIf(noChromium).each(kinds)('$name', ({ start }) => {
  const open = async (settings: { readonly server?: object; readonly command?: object }) => {
    const root = await tempFolder()
    await writeTree(root, {
      'package.json': { type: 'module' },
      'main.js': LIVE_MAIN,
      'locales/en/common.json': { title: 'Title' },
    })
    const server = await start({ root, ...settings })
    onTestFinished(() => server.close())
    const { page, close } = await openPage(browser, server.address)
    onTestFinished(close)
    await expect.poll(() => page.evaluate('document.body.dataset.texts')).toContain('Title')
    const overlay = () =>
      page.evaluate<string>(
        "[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument?.body.innerText).join('')",
      )
    return { page, overlay, save: (content: object | string) => save(join(root, 'locales/en/common.json'), content) }
  }

  test.each([
    ['by default', {}],
    ['as the command sets it', { command: { client: ERRORS_ALONE } }],
  ])('%s', async (_, settings) => {
    const app = await open(settings)
    await app.save('{ "title": "Broken",')
    await expect.poll(app.overlay).toContain('locales/en/common.json:1')
    await app.save({ title: 'Mended' })
    await expect.poll(() => app.page.evaluate('document.body.dataset.texts')).toContain('Mended')
    await expect.poll(app.overlay).toBe('')
  })

  test('what the project has set stays', async () => {
    const app = await open({ server: { client: ERRORS_ALONE } })
    await app.save('{ "title": "Broken",')
    // The page is told of the next edit after what the overlay would be told.
    await app.save({ title: 'Mended' })
    await expect.poll(() => app.page.evaluate('document.body.dataset.texts')).toContain('Mended')
    expect(await app.overlay()).toBe('')
  })
})
