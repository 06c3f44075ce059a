/** One data folder under ten spellings: the service that runs there is found under each of them, and keeps running. */
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalService, joinLocalService } from '../../src/service.ts'
import { ignoresCase, noLinks } from '../helpers/file-system.ts'
import { tempFolder } from '../helpers/temp.ts'

/** Other paths of the folder for temporary files, such as a substituted drive. `test/windows/run.mjs` sets them. */
const ALIASES = (process.env.TEMP_ALIASES ?? '').split(';').filter(Boolean)

async function spellingsOf(folder: string): Promise<readonly string[]> {
  const [parent, name] = [dirname(folder), basename(folder)]
  const found = [folder, join(folder, '/'), join(parent, '.') + join('/', name), `${parent}/${name}/inner/..`]
  found.push(`${folder}/./`, relative(process.cwd(), folder), `${parent}//${name}`)
  if (!noLinks) {
    const links = await tempFolder()
    await symlink(folder, join(links, 'to-folder'))
    await symlink(parent, join(links, 'to-parent'))
    found.push(join(links, 'to-folder'), join(links, 'to-parent', name))
  }
  if (ignoresCase) found.push(join(parent, name.toUpperCase()), join(parent, name.toLowerCase()))
  if (process.platform === 'linux') found.push(`/proc/self/root${folder}`)
  if (process.platform === 'darwin') found.push(folder.normalize('NFD'))
  if (process.platform === 'win32') {
    found.push(folder.charAt(0).toLowerCase() + folder.slice(1), folder.replaceAll('\\', '/'), `\\\\?\\${folder}`)
  }
  return [...found, ...ALIASES.map((alias) => join(alias, relative(join(parent, '..'), folder)))]
}

test('for every pair of spellings, a second service is refused, and the first one is untouched', async () => {
  const outer = await tempFolder()
  const folder = join(outer, 'Łódź data')
  await mkdir(join(folder, 'inner'), { recursive: true })
  const spellings = await spellingsOf(folder)
  expect(spellings.length).toBeGreaterThanOrEqual(10)
  let pairs = 0
  for (const first of spellings) {
    const service = await createLocalService({ dataDir: first })
    const announcement = () => readFile(join(folder, 'service.json'), 'utf8')
    const before = await announcement()
    for (const second of spellings) {
      await expect(createLocalService({ dataDir: second }), `${first} | ${second}`).rejects.toMatchObject({
        code: 'SERVICE_LOCKED',
      })
      const joined = await joinLocalService({ dataDir: second })
      expect([joined.isOwner, joined.baseUrl], `${first} | ${second}`).toEqual([false, service.baseUrl])
      await joined.close()
      expect(await announcement(), `${first} | ${second}`).toBe(before)
      pairs++
    }
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
    await service.close()
  }
  process.stdout.write(`${pairs} pairs of ${spellings.length} spellings\n`)
})
