/**
 * A local service with one project, filled the way a user's script would: plain HTTP, without this package's own client.
 * It is closed when the test is over.
 */
import type { LocalService, LocalServiceOptions } from '../../src/service.ts'
import { guardSecret } from './canary.ts'
import { createProject, projectOf, request, startService, type TestProject, uploadForm } from './service.ts'

export type LocalProject = Awaited<ReturnType<typeof startProject>>

/** In memory, unless the options name a folder; the project that a folder has already is used again. */
export async function startProject(options: LocalServiceOptions = {}) {
  const requests: string[] = []
  const service = await startService({
    ...options,
    onRequest(info) {
      requests.push(`${info.method} ${info.path}`)
      options.onRequest?.(info)
    },
  })
  const { baseUrl, personalToken } = service
  const projects = await request(`${baseUrl}/api/v2/projects`, { headers: { authorization: personalToken } })
  const [known] = projects.body.data
  const project = known ? projectOf(service, known) : await createProject(service)
  guardSecret(personalToken)
  // A client may have asked before this: only the test's own requests go.
  requests.splice(0, requests.length, ...requests.filter((line) => !line.endsWith(' /api/v2/projects')))
  return projectWith(service, project, requests)
}

/** What tests do with a project of a service, whose requests are collected in `requests`. */
export function projectWith(service: LocalService, project: TestProject, requests: string[]) {
  guardSecret(project.apiKey)
  const call: TestProject['api'] = async (method, path, body) => {
    const answer = await project.api(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  return {
    ...service,
    ...project,
    /** Every request so far, `GET /api/v4/export`. */
    requests,
    /** How many of them asked for an export. */
    exportRequests: () => requests.filter((line) => /^GET \/api\/v[34]\/export$/.test(line)).length,
    /** Imports one language and namespace; existing texts are replaced. */
    async importTexts(
      languageKey: string,
      namespace: string,
      texts: Readonly<Record<string, string>>,
      customerId?: string,
    ): Promise<void> {
      const query = new URLSearchParams({
        uploadFormat: 'single-language-json',
        importOptions: 'REPLACE_TRANSLATION_IF_FOUND',
        languageKey,
        namespace,
        ...(customerId !== undefined && { customerId }),
      })
      await call('POST', `/api/v2/import?${query}`, uploadForm(texts))
    },
    /** A text as the service has it. */
    async readText(language: string, namespace: string, key: string): Promise<string | undefined> {
      const { body } = await call('GET', `/api/v2/translations?${new URLSearchParams({ language, namespace, key })}`)
      return body.data[0]?.text
    },
    /** Sets a text, as a translator would. */
    async setText(language: string, namespace: string, key: string, text: string): Promise<void> {
      await call('PATCH', '/api/v2/translations', { language, namespace, key, text })
    },
    async deleteKey(namespace: string, key: string): Promise<void> {
      await call('DELETE', `/api/v1/translation-keys?${new URLSearchParams({ namespace, key })}`)
    },
    /** To `_latest`, then to `_production`. */
    async publish(): Promise<void> {
      for (const environment of ['_latest', '_production'])
        await call('POST', `/api/v2/environments/${environment}/publish`)
    },
  }
}
