/** Readiness, figures and the log of requests. Not in the contract. */
import { describe, expect, test } from 'vitest'
import type { AnswerInfo } from '../../src/service.ts'
import { createProject, DRIVERS, request, startService, waitFor } from '../helpers/service.ts'

/** Parses the text format of Prometheus, strictly: each sample belongs to the metric described above it. */
function parseMetrics(text: string): ReadonlyMap<string, number> {
  expect(text.endsWith('\n')).toBe(true)
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-z_]+) \S.*$/.exec(line)
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line)
    if (help) {
      current = help[1] ?? ''
      expect(types.has(current), `${current} is described once`).toBe(false)
    } else if (type) {
      expect(type[1]).toBe(current)
      types.set(current, type[2] ?? '')
    } else {
      const sample =
        /^([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="(?:[^"\\\n]|\\[\\"n])*")*\})? (\S+)$/.exec(line)
      const [, name = '', labels = '', value = ''] = sample ?? []
      const suffixes = types.get(current) === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      expect(suffixes.map((suffix) => current + suffix)).toContain(name)
      expect(Number.isFinite(Number(value)), line).toBe(true)
      expect(samples.has(name + labels), line).toBe(false)
      samples.set(name + labels, Number(value))
    }
  }
  return samples
}

describe.each(DRIVERS)('operations on %s', (driver) => {
  test('/ready answers 200 while the service can serve; /health and /ready need no credentials', async () => {
    const service = await startService({ driver })
    expect(await request(`${service.baseUrl}/ready`)).toMatchObject({ status: 200, body: { status: 'UP' } })
    expect(await request(`${service.baseUrl}/health`)).toMatchObject({ status: 200, body: { status: 'UP' } })
  })

  test('/metrics takes the personal token or its own token; without the option it is not there', async () => {
    const off = await startService({ driver })
    const headers = { Authorization: off.personalToken }
    expect((await request(`${off.baseUrl}/metrics`, { headers })).status).toBe(404)

    const service = await startService({ driver, metrics: { token: 'figures-only' } })
    const project = await createProject(service)
    const status = async (Authorization?: string, path = '/metrics') =>
      (await request(`${service.baseUrl}${path}`, { headers: { Authorization } })).status
    expect(await status('')).toBe(403)
    expect(await status('wrong')).toBe(403)
    expect(await status(project.apiKey)).toBe(403)
    expect(await status(service.personalToken)).toBe(200)
    expect(await status('Bearer figures-only')).toBe(200)
    expect(await status('figures-only', '/api/v2/projects')).toBe(403)
  })

  test('/metrics counts requests by route, never by path, and is the text format of Prometheus', async () => {
    const service = await startService({ driver, metrics: true })
    const project = await createProject(service)
    await project.import({ en: { a: 'A' } })
    await project.publish()
    for (const name of ['canary-one', 'canary-two']) {
      await project.get(`/api/v2/environments/${name}`)
      await project.hosted(name)
      await request(`${service.baseUrl}/${name}`)
    }
    const headers = { Authorization: service.personalToken }
    const read = async () => (await request(`${service.baseUrl}/metrics`, { headers })).text
    const of = (route: string, status: number, method = 'GET') =>
      `localization_http_requests_total{method="${method}",route="${route}",status="${status}"}`
    const text = await waitFor(read, (printed) => printed.includes(of('/*', 404)))
    expect(text).not.toContain('canary')
    for (const secret of [project.apiKey, project.projectToken, service.personalToken])
      expect(text).not.toContain(secret)
    const samples = parseMetrics(text)
    expect(samples.get(of('/api/v2/environments/{environmentKey}', 404))).toBe(2)
    expect(samples.get(of('/api/v2/environments/{environmentKey}/publish', 200, 'POST'))).toBe(1)
    expect(samples.get(of('/_cdn/*', 404))).toBe(2)
    expect(samples.get('localization_http_requests_in_flight')).toBe(1)
    const labels = 'method="GET",route="/_cdn/*"'
    expect(samples.get(`localization_http_request_duration_seconds_count{${labels}}`)).toBe(2)
    expect(samples.get(`localization_http_request_duration_seconds_bucket{${labels},le="+Inf"}`)).toBe(2)
    expect(samples.get('localization_jobs{state="FAILED"}')).toBe(0)
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(samples.has('localization_database_connections{state="waiting"}')).toBe(driver === 'postgres')
  })

  test('exported files are at the public address', async () => {
    const service = await startService({ driver, publicUrl: 'https://localization.example.com/' })
    const { body } = await (await createProject(service)).get('/api/v3/export?downloadFormat=multi-language-json')
    expect(body.data.url).toMatch(/^https:\/\/localization\.example\.com\/files\/\w+$/)
    await expect(startService({ driver, publicUrl: 'localhost' })).rejects.toMatchObject({ code: 'SERVICE_START' })
  })

  test('onAnswer reports route, status and the trace id of errors', async () => {
    const answers: AnswerInfo[] = []
    const service = await startService({ driver, onAnswer: (answer) => answers.push(answer) })
    const refused = await request(`${service.baseUrl}/api/v1/jobs/some-id?key=canary`)
    await waitFor(
      () => answers.length,
      (count) => count === 1,
    )
    expect(answers).toEqual([
      {
        method: 'GET',
        route: '/api/v1/jobs/{jobId}',
        status: 403,
        ms: expect.any(Number),
        aborted: false,
        traceId: refused.body.traceId,
      },
    ])
  })
})
