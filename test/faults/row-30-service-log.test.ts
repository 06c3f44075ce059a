/** Row 30, the service's part: control characters in names and messages are escaped in every line of its log. */
import { expect, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { createProject, startService } from '../helpers/service.ts'

const row = faultRow(30)
const EVIL = [
  '\u001b[2J\u001b]0;title\u0007',
  '\u009b31m',
  'a\r\nb',
  'a\n[localization] error: forged',
  '\u202eright',
  '\u2028',
]

test('what a provider, a request and a fault of the service say is escaped in its log', async () => {
  const lines: string[] = []
  const put = (line: string) => void lines.push(line)
  let evil = ''
  let isBroken = false
  const service = await startService({
    logger: { debug: put, info: put, warn: put, error: put },
    providers: {
      PROVIDER_A: {
        async translate() {
          throw new Error(`provider: ${evil}`)
        },
      },
    },
    now() {
      if (isBroken) throw new Error(`broken: ${evil}`)
      return Date.now()
    },
  })
  const project = await createProject(service)
  for (const [at, name] of EVIL.entries()) {
    evil = name
    await project.import({ en: { [`${name}${at}`]: name } })
    const job = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'en', targetLanguage: 'en' }
    const started = await project.api('POST', '/api/v1/jobs/auto-translate', { ...job, options: ['FORCE_REPLACE'] })
    await expect
      .poll(async () => (await project.get(`/api/v1/jobs/${started.body.data.jobId}`)).body.data.state)
      .toBe('FAILED')
    expect((await project.publish(encodeURIComponent(name))).status).toBe(404)
    isBroken = true
    const failed = await project.api('POST', '/api/v1/translation-keys', { key: name })
    isBroken = false
    expect(failed).toMatchObject({ status: 500, body: { code: 'INTERNAL' } })
    expect(failed.text).not.toContain('broken')
    row.alsoTried(3)
  }
  expect(lines.filter((line) => line.includes('provider: '))).toHaveLength(EVIL.length)
  expect(lines.filter((line) => line.includes('broken: '))).toHaveLength(EVIL.length)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  for (const line of lines) expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
  for (const line of lines) expect(line.split('\n').slice(1).join('')).not.toContain('forged')
  expect(lines.join()).toContain('\\u001b[2J')
})

test('a name in an error of the start', async () => {
  const [error] = await Promise.all([
    createLocalService({ environments: ['\u001b[2J'] }).catch((thrown: Error) => thrown.message),
  ])
  expect(error).toContain('\\u001b[2J')
})
