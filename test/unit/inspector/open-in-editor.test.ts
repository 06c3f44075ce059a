/** Locations open in the user's editor, and only files of the project do. */
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startProject } from '../../helpers/project.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

/** An editor that notes its arguments. */
async function startEditor(script = 'printf "%s\\n" "$@" > "$(dirname "$0")/opened"') {
  const folder = await tempFolder()
  const path = join(folder, 'editor.sh')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  vi.stubEnv('LAUNCH_EDITOR', path)
  return async () => (await readFile(join(folder, 'opened'), 'utf8').catch(() => '')).trimEnd().split('\n')
}
afterEach(() => vi.unstubAllEnvs())

async function start() {
  const outer = await tempFolder()
  await writeTree(outer, { 'secret.txt': 'canary', 'shared/pl/common.json': {}, 'server/mail.ts': '' })
  const { inspector, root } = await startProject({
    files: { 'locales/en/common.json': { title: 'Title' }, 'src/app.ts': '' },
    inspector: {
      options: {
        files: ['locales/{language}/{namespace}.json', join(outer, 'shared/{language}/{namespace}.json')],
        usage: { files: ['src/**/*.ts', join(outer, 'server/**/*.ts')] },
      },
    },
  })
  const open = async (place: string) => (await inspector.post('open', { place })).json
  return { outer, root, inspector, open }
}

test('a location in a file of the project', async () => {
  const opened = await startEditor()
  const { root, open } = await start()
  expect(await open('locales/en/common.json:2:3')).toEqual({ done: 1, problems: [] })
  await expect.poll(opened).toEqual([join(root, 'locales/en/common.json'), '2', '3'])
  expect(await open('src/app.ts')).toEqual({ done: 1, problems: [] })
  await expect.poll(opened).toEqual([join(root, 'src/app.ts'), '1', '1'])
})

test('translation files and sources outside the root, if the configuration names them', async () => {
  const opened = await startEditor()
  const { outer, open } = await start()
  for (const path of ['shared/pl/common.json', 'server/mail.ts']) {
    expect(await open(join(outer, path)), path).toEqual({ done: 1, problems: [] })
    await expect.poll(opened).toEqual([join(outer, path), '1', '1'])
  }
})

describe('is refused', () => {
  const places: [string, (outer: string, root: string) => string][] = [
    ['a path that leads out', () => '../secret.txt'],
    ['an absolute path', (outer) => join(outer, 'secret.txt')],
    ['a link that leads out', () => 'link/secret.txt:1:1'],
    ['a system file', () => '/etc/passwd'],
    ['a folder', () => 'locales'],
    ['a file that does not exist', () => 'locales/fr/common.json'],
    ['a name with a null', () => 'src/app.ts\u0000.txt'],
    ['an option', () => '--version'],
  ]
  test.each(places)('%s', async (_, placeOf) => {
    const opened = await startEditor()
    const { outer, root, open } = await start()
    await symlink(outer, join(root, 'link'))
    await mkdir(join(root, 'empty'))
    expect(await open(placeOf(outer, root))).toEqual({
      done: 0,
      problems: [expect.stringMatching(/outside the project|does not exist yet/)],
    })
    expect(await opened()).toEqual([''])
  })

  test('a request like every other that is not from the page', async () => {
    const opened = await startEditor()
    const { inspector } = await start()
    const { origin, token } = inspector
    const body = JSON.stringify({ place: 'src/app.ts' })
    const ask = async (headers: Record<string, string>, method = 'POST') => {
      const type = { 'content-type': 'application/json' }
      return (await inspector.ask('/__localization/api/open', { method, body, headers: { ...type, ...headers } }))
        .status
    }
    expect(await ask({ origin })).toBe(403)
    expect(await ask({ 'x-localization-token': token })).toBe(403)
    expect(await ask({ origin: 'http://localhost:1', 'x-localization-token': token })).toBe(403)
    const path = `/__localization/api/open?place=src/app.ts`
    expect((await inspector.ask(path, { headers: { 'x-localization-token': token } })).status).toBe(405)
    expect(await opened()).toEqual([''])
  })
})

test('an editor that fails is reported', async () => {
  await startEditor('exit 4')
  const { open } = await start()
  expect(await open('src/app.ts')).toEqual({ done: 0, problems: [expect.stringContaining('(code 4)')] })
  vi.stubEnv('LAUNCH_EDITOR', '/no/such/editor')
  expect(await open('src/app.ts')).toEqual({ done: 0, problems: [expect.stringContaining('/no/such/editor')] })
})
