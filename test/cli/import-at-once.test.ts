import { expect, test } from 'vitest'
import { importResult } from '../../src/cli/commands/import.ts'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { startServer } from '../helpers/throwaway-server.ts'

test('up to four uploads are under way, never two of one namespace, and the one that publishes is alone', async () => {
  const namespaces = ['a', 'b', 'c', 'd', 'e']
  const files = ['en', 'pl'].flatMap((language) => namespaces.map((name) => `locales/${language}/${name}.json`))
  const cwd = await tempFolder()
  await writeTree(cwd, Object.fromEntries(files.map((file) => [file, { title: file }])))

  const underWay: string[] = []
  const seen: string[][] = []
  const published: string[][] = []
  let thereAreFour = () => {}
  const four = new Promise<void>((resolve) => {
    thereAreFour = resolve
  })
  const server = await startServer(async ({ query }, response) => {
    const namespace = query.get('namespace') ?? ''
    underWay.push(namespace)
    seen.push([...underWay])
    if (query.getAll('importOptions').join().includes('PUBLISH_AFTER_IMPORT')) published.push([...underWay])
    if (underWay.length === 4) thereAreFour()
    await four
    underWay.splice(underWay.indexOf(namespace), 1)
    const answer = {
      numberOfKeysFound: 1,
      numberOfUniqueKeysFound: 1,
      foundLanguages: [{ key: 'en', name: 'English' }],
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })

  const env = { LOCALIZATION_BASE_URL: server.url, LOCALIZATION_API_KEY: 'key-of-the-project' }
  const run = await runCli(['import', ...files, '--publish', '--quiet', '--json'], { cwd, env })
  expect(run.stderr).toBe('')
  const result = run.json(importResult)
  expect(result.files.map(({ file }) => file)).toEqual(files)
  expect(result.left).toEqual([])
  expect(Math.max(...seen.map(({ length }) => length))).toBe(4)
  for (const names of seen) expect(new Set(names).size).toBe(names.length)
  expect(published).toEqual([['e']])
})
