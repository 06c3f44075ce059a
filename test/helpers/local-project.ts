/**
 * A local service with one project, filled the way a user's script would: plain HTTP, without this package's own client.
 * It is closed when the test is over.
 */
import type { LocalService, LocalServiceOptions } from '../../src/service.ts'
import { guardSecret } from './canary.ts'
import { createProject, projectOf, request, startService, type TestProject, uploadForm } from './service.ts'

export interface LocalProject
  extends Pick<LocalService, 'baseUrl' | 'cdnUrl' | 'personalToken' | 'close'>,
    Pick<TestProject, 'apiKey' | 'projectToken' | 'get'> {
  /** Every request so far, `GET /api/v4/export`. */
  readonly requests: string[]
  /** How many of them asked for an export. */
  exportRequests(): number
  /** Imports one language and namespace; existing texts are replaced. */
  importTexts(
    language: string,
    namespace: string,
    texts: Readonly<Record<string, string>>,
    customer?: string,
  ): Promise<void>
  /** A text as the service has it. */
  readText(language: string, namespace: string, key: string): Promise<string | undefined>
  /** Sets a text, as a translator would. */
  setText(language: string, namespace: string, key: string, text: string): Promise<void>
  deleteKey(namespace: string, key: string): Promise<void>
  /** To `_latest`, then to `_production`. */
  publish(): Promise<void>
}

/** In memory, unless the options name a folder; the project that a folder has already is used again. */
export async function startProject(options: LocalServiceOptions = {}): Promise<LocalProject> {
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
  guardSecret(project.apiKey)
  guardSecret(personalToken)
  // A client may have asked before this: only the test's own requests go.
  requests.splice(0, requests.length, ...requests.filter((line) => !line.endsWith(' /api/v2/projects')))
  const call: TestProject['api'] = async (method, path, body) => {
    const answer = await project.api(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  return {
    ...service,
    ...project,
    requests,
    exportRequests: () => requests.filter((line) => /^GET \/api\/v[34]\/export$/.test(line)).length,
    async importTexts(languageKey, namespace, texts, customer) {
      const query = new URLSearchParams({
        uploadFormat: 'single-language-json',
        importOptions: 'REPLACE_TRANSLATION_IF_FOUND',
        languageKey,
        namespace,
        ...(customer !== undefined && { customerId: customer }),
      })
      await call('POST', `/api/v2/import?${query}`, uploadForm(texts))
    },
    async readText(language, namespace, key) {
      const { body } = await call('GET', `/api/v2/translations?${new URLSearchParams({ language, namespace, key })}`)
      return body.data[0]?.text
    },
    async setText(language, namespace, key, text) {
      await call('PATCH', '/api/v2/translations', { language, namespace, key, text })
    },
    async deleteKey(namespace, key) {
      await call('DELETE', `/api/v1/translation-keys?${new URLSearchParams({ namespace, key })}`)
    },
    async publish() {
      for (const environment of ['_latest', '_production'])
        await call('POST', `/api/v2/environments/${environment}/publish`)
    },
  }
}
