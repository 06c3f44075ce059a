/**
 * `virtual:translations` in each environment that Vitest runs tests in, with each pair of Vitest and Vite that goes
 * together.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, noChromium } from '../helpers/browser.ts'
import { runScript } from '../helpers/frameworks.ts'
import { npmInstall, packTarball } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PAIRS = [
  { vitest: '3', vite: '6' },
  { vitest: '3', vite: '7' },
  { vitest: '4', vite: '6' },
  { vitest: '4', vite: '7' },
  { vitest: '4', vite: '8' },
] as const

const PLUGIN = `localization({ configFile: false, source: 'files', defaultLanguage: 'en', edit: true })`

const FILES = {
  'package.json': { private: true, type: 'module' },
  'locales/en/common.json': { title: 'Teas' },
  'locales/pl/common.json': { title: 'Herbaty' },
  'vitest.config.js': `
    import localization from 'unplugin-localization/vite'
    export default { plugins: [${PLUGIN}] }
  `,
  'texts.test.js': `
    import { languages, load, loadLanguage, onUpdate } from 'virtual:translations'
    import english from 'virtual:translations/en/common'
    import polish from 'virtual:translations/pl'
    import { expect, test } from 'vitest'
    test('texts', async () => {
      expect(languages.map(({ key }) => key)).toEqual(['en', 'pl'])
      expect(english.title).toBe('Teas')
      expect(polish.common.title).toBe('Herbaty')
      expect((await load('pl', 'common')).title).toBe('Herbaty')
      expect((await loadLanguage('en')).common.title).toBe('Teas')
      onUpdate(() => {})()
    })
  `,
}

/** Each major has its own way to name the browser and its program. */
const BROWSERS = {
  3: `{ provider: 'playwright', instances: [{ browser: 'chromium', launch: LAUNCH }] }`,
  4: `{ provider: (await import('@vitest/browser-playwright')).playwright({ launchOptions: LAUNCH }), instances: [{ browser: 'chromium' }] }`,
} as const

const VITEST = 'node_modules/vitest/vitest.mjs'

describe.each(PAIRS)('Vitest $vitest with Vite $vite', ({ vitest, vite }) => {
  let root = ''
  beforeAll(async () => {
    root = await tempFolder()
    await writeTree(root, {
      ...FILES,
      'vitest.browser.js': `
        import localization from 'unplugin-localization/vite'
        const LAUNCH = { executablePath: ${JSON.stringify(chromiumPath)}, args: ['--no-sandbox', '--disable-gpu'] }
        const browser = { enabled: true, headless: true, screenshotFailures: false, ...${BROWSERS[vitest]} }
        export default { plugins: [${PLUGIN}], test: { browser } }
      `,
    })
    const provider = vitest === '3' ? [`@vitest/browser@${vitest}`] : [`@vitest/browser-playwright@${vitest}`]
    const packages = [`vitest@${vitest}`, `vite@${vite}`, 'jsdom@26', 'happy-dom@20', 'playwright@1', ...provider]
    await npmInstall(root, await packTarball(), ...packages)
  }, 600_000)

  test.each(['node', 'jsdom', 'happy-dom'])('%s', async (environment) => {
    const said = await runScript([VITEST, 'run', '--environment', environment], { root })
    expect(said).toMatch(/Tests +1 passed/)
    expect(said).not.toContain('/__localization/edit.js')
  })

  test.skipIf(noChromium)('browser mode', async () => {
    expect(await runScript([VITEST, 'run', '--config', 'vitest.browser.js'], { root })).toMatch(/Tests +1 passed/)
  })
})
