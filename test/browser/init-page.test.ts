/** `localization init --yes`, then the dev server that it names: the page shows the first text. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { runCli } from '../helpers/cli.ts'
import { installIn } from '../helpers/consumer.ts'
import { bareEnvironment, startProcess } from '../helpers/processes.ts'
import { writeTree } from '../helpers/temp.ts'

const APP = {
  'package.json': {
    type: 'module',
    scripts: { dev: 'node node_modules/vite/bin/vite.js --port 0', build: 'node node_modules/vite/bin/vite.js build' },
    devDependencies: { vite: '8' },
  },
  'index.html':
    '<!doctype html><html lang="en"><head><link rel="icon" href="data:,"></head><body><div id="app"></div><script type="module" src="/src/main.ts"></script></body></html>',
  'src/main.ts': "document.querySelector('#app')!.textContent = 'The app. '\n",
  'vite.config.ts':
    "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  server: { port: 0 },\n})\n",
}

describe.skipIf(noChromium)('init', () => {
  test('ends with a page that shows the first text', async () => {
    const root = await installIn(['vite'])
    await writeTree(root, APP)
    const init = await runCli(['init', '--yes'], { cwd: root })
    expect(init, init.output).toMatchObject({ code: 0 })
    const [, command = '', text = ''] = /Next: (.+)\n {2}the page shows "(.+)" \(/.exec(init.stdout) ?? []
    expect([command, text]).toEqual(['npm run dev', 'Welcome'])
    const server = startProcess(command.split(' '), { cwd: root, env: bareEnvironment(root, { NO_COLOR: '1' }) })
    const local = /Local: +(http:\/\/localhost:\d+\/)/
    await expect.poll(server.output).toMatch(local)
    const { page, problems } = await visit(local.exec(server.output())?.[1] ?? '')
    await expect.poll(() => page.textContent('body')).toContain(text)
    expect(await page.textContent('#app')).toBe('The app. ')
    expect(problems).toEqual([])
    // Vite made nothing of its own of the configuration.
    expect(await readFile(join(root, 'vite.config.ts'), 'utf8')).toContain('plugins: [localization()],')
  })
})
