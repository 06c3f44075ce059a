/** Dev servers whose root is below the configuration. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { devServers } from '../helpers/dev-servers.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

test.each(devServers)('$name follows the files above, and refuses private ones', async ({ name, start }) => {
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': { type: 'module' },
    'localization.config.json': { files: 'locales/{language}.json' },
    'locales/en.json': { title: 'Title' },
    '.localization/private': 'secret',
    'src/main.js': `import texts from 'virtual:translations/en/default'\ndocument.body.textContent = texts.title\n`,
  })
  await mkdir(join(root, 'src/locales'))
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  onTestFinished(() => void vi.restoreAllMocks())
  const server = await start({ root: join(root, 'src') })
  onTestFinished(() => server.close())
  const address = server.address.replace(/\/$/, '')
  for (const path of ['/.localization/private', '/../.localization/private', `/@fs${root}/.localization/private`])
    expect((await fetch(`${address}${path}`)).status).toBe(403)
  if (name.startsWith('vite')) {
    const text = async () => (await fetch(`${address}/@id/__x00__localization/namespace/en.default.js`)).text()
    await expect.poll(text, { timeout: 30_000 }).toContain('Title')
    await save(join(root, 'locales/en.json'), { title: 'Edited' })
    await expect.poll(text, { timeout: 30_000 }).toContain('Edited')
    return
  }
  await expect.poll(() => said.join('')).toContain('1 text')
  await save(join(root, 'localization.config.json'), { files: 'locales/{language}.json', values: 'keep' })
  await expect.poll(() => said.join('')).toContain('localization.config.json changed. Restart the bundler to apply it')
})
