/** Options of Vite's watcher that a user or a framework set stay as they are. */
import { createServer, type UserConfig } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import localization from '../../src/vite.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

async function watchOptions(watch: NonNullable<UserConfig['server']>['watch'] | undefined) {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en.json': '{"a":"A"}' })
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'silent',
    server: { middlewareMode: true, ws: false, ...(watch !== undefined && { watch }) },
    plugins: [localization({ files: ['locales/{language}.json'], defaultLanguage: 'en' } as never)],
  })
  onTestFinished(() => server.close())
  return { watch: server.config.server.watch, watched: Object.keys(server.watcher.getWatched()) }
}

test('watch: null watches nothing', async () => {
  expect(await watchOptions(null)).toEqual({ watch: null, watched: [] })
})

test('the own folder is ignored beside what the user ignores', async () => {
  expect((await watchOptions(undefined)).watch?.ignored).toEqual(['**/.localization/**'])
  expect((await watchOptions({ ignored: '**/big/**' })).watch?.ignored).toEqual(['**/big/**', '**/.localization/**'])
  const isIgnored = (path: string) => path.endsWith('x')
  expect((await watchOptions({ ignored: isIgnored, usePolling: true })).watch).toEqual({
    usePolling: true,
    ignored: [isIgnored, '**/.localization/**'],
  })
})
