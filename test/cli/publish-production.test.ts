/** `localization publish _production` on a terminal: it shows what changes for users, and asks. */
import { expect, test } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { runHere } from '../helpers/command-here.ts'
import { startProject } from '../helpers/project.ts'
import { resolveConfig } from '../helpers/resolve-config.ts'

async function published() {
  const project = await startProject({ service: true })
  const { root, baseUrl, apiKey } = project
  const service = { baseUrl, cdnUrl: `${baseUrl}/_cdn`, apiKey }
  const config = resolveConfig({ service, defaultLanguage: 'en' }, { root })
  const client = createClient(config.service)
  const publish = (answer: string | undefined, ...given: string[]) => {
    const args = given.filter((one) => one !== '--json')

    const questions: string[][] = []
    const respond = (said: readonly string[]) => {
      questions.push([...said])
      return answer ?? ''
    }
    const ask = answer === undefined ? undefined : respond
    const json = args.length < given.length
    return runHere(['publish', ...args], { root, config, client, ask, json }).then((run) => ({ ...run, questions }))
  }
  await project.importTexts('en', 'common', { title: 'Title', gone: 'Gone' })
  await publish(undefined, '_latest', '_production')
  await project.importTexts('en', 'common', { title: 'New title', added: 'Added' })
  await project.api('DELETE', '/api/v1/translation-keys?key=gone&namespace=common')
  const inProduction = async () => {
    const place = { projectToken: project.projectToken, environment: '_production' }
    const found = await client.hosting.messages(place, { language: 'en', namespace: 'common' })
    return found.kind === 'ok' ? found.data : undefined
  }
  return { publish, inProduction }
}

const CHANGES = [
  'en/common "added"',
  '  + "Added"',
  'en/common "title"',
  '  - "Title"',
  '  + "New title"',
  'en/common "gone"',
  '  - "Gone"',
  '_production: 3 texts: 1 changed, 1 new, 1 deleted',
]

/** The same changes in the result. */
const DATA = [
  { language: 'en', namespace: 'common', key: 'added', customer: null, before: null, after: 'Added' },
  { language: 'en', namespace: 'common', key: 'title', customer: null, before: 'Title', after: 'New title' },
  { language: 'en', namespace: 'common', key: 'gone', customer: null, before: 'Gone', after: null },
]

test('shows the changes; publishes only after a yes', async () => {
  const { publish, inProduction } = await published()
  await publish(undefined, '_latest')
  const refused = await publish('n', '_production')
  expect(refused.questions).toEqual([CHANGES])
  expect(refused.said.at(-1)).toBe('nothing was published to _production')
  expect(refused.data).toMatchObject({ environments: [] })
  expect(await inProduction()).toEqual({ title: 'Title', gone: 'Gone' })
  const agreed = await publish('y', '_production')
  expect(agreed.data).toMatchObject({ environments: [{ environment: '_production', texts: 2, changes: DATA }] })
  expect(await inProduction()).toEqual({ title: 'New title', added: 'Added' })
  expect((await publish('n', '_production')).questions).toEqual([])
})

test('does not ask with --yes, without a terminal, and for a preview', async () => {
  const { publish, inProduction } = await published()
  await publish(undefined, '_latest')
  const preview = await publish('n', '_production', '--dry-run')
  expect(preview).toMatchObject({
    said: CHANGES,
    questions: [],
    data: { dryRun: true, environments: [{ changes: DATA }] },
  })
  expect(await inProduction()).toMatchObject({ title: 'Title' })
  expect((await publish('n', '_production', '--yes')).questions).toEqual([])
  expect(await inProduction()).toMatchObject({ title: 'New title' })
  expect((await publish(undefined, '_production')).said).toEqual([])
})

test('--json lists the changes without a terminal, and says nothing', async () => {
  const { publish } = await published()
  const { said, data } = await publish(undefined, '_latest', '_production', '--json')
  expect(said).toEqual([])
  expect(data.environments).toMatchObject([
    { environment: '_latest', changes: null },
    { environment: '_production', changes: DATA },
  ])
  const again = await publish(undefined, '_production', '--json')
  expect(again.data.environments).toMatchObject([{ changes: [] }])
})
