/** A stranger's first quarter of an hour: an empty app, the package from the tarball, two lines, the local service, a page, a build. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launchChromium, noChromium } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { npmInstall, packTarball, runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}

/** What the usual starter writes for TypeScript without a framework. */
const STARTER = {
  'package.json': { name: 'my-app', private: true, version: '0.0.0', type: 'module' },
  'index.html':
    '<!doctype html><html lang="en"><body><div id="app"></div><script type="module" src="/src/main.ts"></script></body></html>',
  'tsconfig.json': {
    compilerOptions: {
      target: 'ES2023',
      module: 'ESNext',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      types: ['vite/client'],
      skipLibCheck: true,
      moduleResolution: 'bundler',
      verbatimModuleSyntax: true,
      moduleDetection: 'force',
      noEmit: true,
      strict: true,
    },
    include: ['src'],
  },
  'src/main.ts': "document.querySelector<HTMLDivElement>('#app')!.textContent = 'Hello'\n",
}

test.skipIf(noChromium)('from an empty folder to a page and a build', async () => {
  const root = await tempFolder()
  await writeTree(root, STARTER)
  await npmInstall(root, `vite@${devDependencies.vite}`, `typescript@${devDependencies.typescript}`)
  const installed = new Set(await readdir(join(root, 'node_modules')))

  await npmInstall(root, '--save-dev', await packTarball())
  expect(installed.has('unplugin-localization')).toBe(false)
  const bin = (name: string) => join(root, 'node_modules', '.bin', name)
  const localization = (...args: readonly string[]) =>
    runNode(bin('localization'), args, { cwd: root, env: { CI: '' } })

  // The service, in a terminal of its own.
  const service = spawnFor(bin('localization'), ['serve', '--port', '0', '--json'], root)
  const started = JSON.parse(await service.line(/^\{.*\}$/m)) as { baseUrl: string; personalToken: string }

  // Texts, a configuration, two lines.
  await writeTree(root, {
    'locales/en/common.json': { title: 'Welcome', hello: 'Hello, {name}!' },
    'locales/pl/common.json': { title: 'Witamy', hello: 'Cześć, {name}!' },
  })
  const init = await localization('init', '--base-url', 'local', '--yes')
  expect(init, init.said).toMatchObject({ code: 0 })
  const lines = /^ {2}(import localization .*)\n {2}(plugins: .*)$/m.exec(init.stdout)
  expect(init.stdout).toContain('Two lines for the configuration of vite')
  await writeTree(root, {
    'vite.config.ts': `${lines?.[1]}\nimport { defineConfig } from 'vite'\n\nexport default defineConfig({ ${lines?.[2]} })\n`,
    'src/main.ts': `
      import { load, onUpdate } from 'virtual:translations'
      const app = document.querySelector<HTMLDivElement>('#app')!
      const show = async () => { app.textContent = (await load('pl', 'common')).hello.replace('{name}', 'Ada') }
      onUpdate(show)
      await show()
    `,
  })
  const tsconfig = structuredClone(STARTER['tsconfig.json'])
  tsconfig.compilerOptions.types.push('unplugin-localization/virtual')
  await writeTree(root, { 'tsconfig.json': tsconfig })
  const types = await runNode(bin('tsc'), ['-p', '.'], { cwd: root })
  expect(types, types.said).toMatchObject({ code: 0 })

  // The page.
  const dev = spawnFor(bin('vite'), ['--port', '0', '--host', '127.0.0.1'], root)
  const address = (await dev.line(/http:\/\/127\.0\.0\.1:\d+\//)).trim()
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(address)
  await expect.poll(() => page.textContent('#app'), { timeout: 60_000 }).toBe('Cześć, Ada!')
  await expect.poll(dev.said).toContain(`local service at ${started.baseUrl}, which another process runs`)
  await expect.poll(dev.said).toContain('first start: imported 4 texts')

  // An edit shows in place, and reaches the service.
  await page.evaluate('window.untouched = true')
  const file = join(root, 'locales/pl/common.json')
  await writeFile(file, (await readFile(file, 'utf8')).replace('Cześć', 'Hej'))
  await expect.poll(() => page.textContent('#app'), { timeout: 60_000 }).toBe('Hej, Ada!')
  expect(await page.evaluate('window.untouched')).toBe(true)
  const served = async () => (await localization('translations', 'list', '--language', 'pl', '--json')).stdout
  await expect.poll(served, { timeout: 60_000 }).toContain('Hej, {name}!')

  const status = await localization('status')
  expect(status, status.said).toMatchObject({ code: 0 })
  expect(status.stdout).toContain('2 languages, 4 texts. * default language')
  expect(status.said + dev.said()).not.toContain(started.personalToken)

  // The build, and its page.
  const build = await runNode(bin('vite'), ['build'], { cwd: root })
  expect(build, build.said).toMatchObject({ code: 0 })
  const preview = spawnFor(bin('vite'), ['preview', '--port', '0', '--host', '127.0.0.1'], root)
  await page.goto((await preview.line(/http:\/\/127\.0\.0\.1:\d+\//)).trim())
  await expect.poll(() => page.textContent('#app'), { timeout: 60_000 }).toBe('Hej, Ada!')
})

/** A process that runs until the test is over; `line` waits for what it says. */
function spawnFor(command: string, args: readonly string[], cwd: string) {
  const child: ChildProcess = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const line = async (pattern: RegExp): Promise<string> => {
    await expect.poll(() => said, { timeout: 60_000 }).toMatch(pattern)
    return pattern.exec(said)?.[0] ?? ''
  }
  return { said: () => said, line }
}
