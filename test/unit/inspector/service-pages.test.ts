/** The inspector of the local service: what it remembers of a project follows the project. */
import { expect, test } from 'vitest'
import { createClient } from '../../../src/api/client.ts'
import { whenOver } from '../../helpers/closing.ts'
import { type Project, startProject } from '../../helpers/project.ts'
import { createProject, projectOf } from '../../helpers/service.ts'

type Service = Pick<Project, 'baseUrl' | 'personalToken'>

/** The rows of the table of texts, as JSON. */
async function rowsOf({ baseUrl, personalToken }: Service, projectToken: string, stays = ''): Promise<string> {
  const headers = { 'x-localization-token': personalToken }
  return (await fetch(`${baseUrl}/__localization/api/rows?project=${projectToken}${stays}`, { headers })).text()
}

test('the texts that a job writes', async () => {
  let end = () => {}
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  const upperCase = {
    async translate(texts: readonly string[]) {
      await isOver
      return texts.map((text) => text.toUpperCase())
    },
  }
  const service = await startProject({
    service: { providers: { PROVIDER_A: upperCase }, texts: { en: { title: 'Title' } } },
  })
  const rows = () => rowsOf(service, service.projectToken)
  expect(await rows()).toContain('Title')
  const job = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'de', targetLanguage: 'de' }
  expect((await service.api('POST', '/api/v1/jobs/auto-translate', job)).status).toBe(200)
  // After this, the page has seen everything that requests have changed.
  await service.importTexts('en', '', { more: 'More' })
  await expect.poll(rows, { timeout: 60_000 }).toContain('More')
  end()
  await expect.poll(rows, { timeout: 60_000 }).toContain('TITLE')
})

test('the API key after a rotation', async () => {
  const service = await startProject({ service: { alone: true, texts: { en: { title: 'Title' } } } })
  const { baseUrl, personalToken, projectToken } = service
  const rows = () => rowsOf(service, projectToken)
  expect(await rows()).toContain('Title')
  const client = createClient({ baseUrl, personalToken, proxy: false })
  whenOver(() => client.close())
  const [main] = await client.credentials.list({ projectToken })
  const { secret } = await client.credentials.rotate({ projectToken }, main?.id ?? '', { overlapMs: 0 })
  await projectOf(service, { apiKey: secret, projectToken }).import({ en: { more: 'More' } })
  await expect.poll(rows, { timeout: 60_000 }).toContain('More')
})

test('rows that stay for an editor are those of the same project', async () => {
  const service = await startProject({ service: { alone: true, texts: { en: { one: 'One' } } } })
  const other = await createProject(service, 'other')
  await other.import({ en: { two: 'Two' } })
  expect(await rowsOf(service, service.projectToken)).toContain('One')
  const rows = await rowsOf(service, other.projectToken, '&stays=yes')
  expect(rows).toContain('Two')
  expect(rows).not.toContain('"one"')
})
