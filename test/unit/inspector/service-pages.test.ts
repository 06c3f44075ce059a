/** The inspector of the local service: what it remembers of a project follows the project. */
import { expect, test } from 'vitest'
import { type Project, startProject } from '../../helpers/project.ts'

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
