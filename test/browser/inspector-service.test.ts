/** The same pages on the local service, without a dev server: all projects, for people with the personal token. */
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { startProject } from '../helpers/project.ts'

const LONG = { timeout: 60_000, interval: 50 }

describe.skipIf(noChromium)('the local service', () => {
  test('shows its texts for the personal token, and changes them', async () => {
    const project = await startProject({ service: { languages: ['de'] } })
    const { baseUrl, personalToken, apiKey } = project
    await project.importTexts('en', '', { title: 'Title', save: 'Save' })
    await project.importTexts('de', '', { title: 'Titel' })
    const headers = { authorization: personalToken, 'content-type': 'application/json' }
    await fetch(`${baseUrl}/api/v2/projects`, { method: 'POST', headers, body: JSON.stringify({ name: 'second' }) })

    const { page, problems, close } = await visit(baseUrl)
    const bodies: Promise<string>[] = []
    // A stream of events has no end to wait for.
    page.on('response', (response) => {
      if (!response.url().includes('/api/events')) bodies.push(response.text().catch(() => ''))
    })
    await page.getByLabel('Personal token').fill('wrong')
    await page.getByRole('button', { name: 'Show texts' }).click()
    await page.getByText('Unknown token.').waitFor()
    await page.getByLabel('Personal token').fill(personalToken)
    await page.getByRole('button', { name: 'Show texts' }).click()
    await page.getByRole('heading', { name: 'test' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sync' }).count()).toBe(0)

    await page.getByRole('link', { name: 'Texts' }).click()
    await page.getByRole('row', { name: /title/ }).getByRole('button').click()
    await page.locator('#text-de').fill('Ein Titel')
    await page.getByRole('button', { name: 'Save: German' }).click()
    const inService = async () => {
      const answer = await fetch(`${baseUrl}/api/v2/translations?language=de&key=title`, {
        headers: { 'x-service-token': apiKey },
      })
      return ((await answer.json()) as { data: { text: string }[] }).data[0]?.text
    }
    await expect.poll(inService, LONG).toBe('Ein Titel')

    // Whatever else writes shows as well.
    await project.importTexts('de', '', { save: 'Sichern' })
    await page.getByText('Sichern').first().waitFor()

    await page.getByLabel('Project').selectOption('second')
    await page.getByRole('heading', { name: 'second' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'second' }).waitFor()
    for (const body of await Promise.all(bodies)) {
      expect(body).not.toContain(apiKey)
      expect(body).not.toContain(personalToken)
    }
    expect(problems.filter((line) => !/ERR_ABORTED$|403/.test(line))).toEqual([])
    await close()
  })

  test('gives nothing without the token, and the contract goes on beside it', async () => {
    const { baseUrl, personalToken, apiKey } = await startProject({ service: true })
    const ask = (path: string, headers: Record<string, string> = {}) => fetch(`${baseUrl}${path}`, { headers })
    expect((await ask('/__localization/')).status).toBe(200)
    expect(await (await ask('/__localization/')).text()).not.toContain(personalToken)
    expect((await ask('/__localization/api/projects')).status).toBe(403)
    expect((await ask('/__localization/api/projects', { 'x-localization-token': apiKey })).status).toBe(403)
    const own = { 'x-localization-token': personalToken }
    expect((await ask('/__localization/api/projects', own)).status).toBe(200)
    expect((await ask('/__localization/api/projects', { ...own, origin: 'http://localhost:1' })).status).toBe(403)
    expect((await ask('/api/v2/translations', { 'x-service-token': apiKey })).status).toBe(200)
    expect((await ask('/__localizations')).status).toBe(404)
  })
})
