/**
 * A project in a local service, filled the way a user's script would: plain HTTP, without this package's own client.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import type { createLocalService, LocalServiceOptions, RequestInfo } from '../../src/service.ts'
import { repository } from './bundlers.ts'
import { guardSecret } from './canary.ts'

export interface LocalProject {
  readonly baseUrl: string
  readonly cdnUrl: string
  readonly apiKey: string
  readonly projectToken: string
  readonly personalToken: string
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
  /** Ends the service; the address then refuses connections. */
  close(): Promise<void>
}

/** Starts a service in memory with one project. Whoever starts it closes it. */
export async function startProject(options: LocalServiceOptions = {}): Promise<LocalProject> {
  const module = (await import(pathToFileURL(join(repository, 'dist/service.js')).href)) as {
    createLocalService: typeof createLocalService
  }
  const requests: string[] = []
  const onRequest = ({ method, path }: RequestInfo) => void requests.push(`${method} ${path}`)
  const service = await module.createLocalService({ ...options, onRequest })
  const { baseUrl, cdnUrl, personalToken } = service
  const created = await request(`${baseUrl}/api/v2/projects`, {
    method: 'POST',
    headers: { authorization: personalToken, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'test' }),
  })
  const { apiKey, projectToken } = ((await created.json()) as { data: { apiKey: string; projectToken: string } }).data
  guardSecret(apiKey)
  guardSecret(personalToken)
  const headers = { 'x-service-token': apiKey }
  return {
    baseUrl,
    cdnUrl,
    apiKey,
    projectToken,
    personalToken,
    requests,
    exportRequests: () => requests.filter((line) => /^GET \/api\/v[34]\/export$/.test(line)).length,
    async importTexts(language, namespace, texts, customer) {
      const query = new URLSearchParams({
        uploadFormat: 'single-language-json',
        importOptions: 'REPLACE_TRANSLATION_IF_FOUND',
        languageKey: language,
        namespace,
        ...(customer !== undefined && { customerId: customer }),
      })
      const body = new FormData()
      body.set('file', new Blob([JSON.stringify(texts)]), 'texts.json')
      await request(`${baseUrl}/api/v2/import?${query}`, { method: 'POST', headers, body })
    },
    async readText(language, namespace, key) {
      const query = new URLSearchParams({ language, namespace, key })
      const answer = await request(`${baseUrl}/api/v2/translations?${query}`, { headers })
      return ((await answer.json()) as { data: { text: string }[] }).data[0]?.text
    },
    async setText(language, namespace, key, text) {
      await request(`${baseUrl}/api/v2/translations`, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ language, namespace, key, text }),
      })
    },
    async deleteKey(namespace, key) {
      const query = new URLSearchParams({ namespace, key })
      await request(`${baseUrl}/api/v1/translation-keys?${query}`, { method: 'DELETE', headers })
    },
    async publish() {
      for (const environment of ['_latest', '_production'])
        await request(`${baseUrl}/api/v2/environments/${environment}/publish`, { method: 'POST', headers })
    },
    close: () => service.close(),
  }
}

/** The same, closed when the running test is over. */
export async function startTestProject(options: LocalServiceOptions = {}): Promise<LocalProject> {
  const project = await startProject(options)
  onTestFinished(() => project.close())
  return project
}

async function request(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init)
  if (!response.ok) throw new Error(`${init.method} ${address}: ${response.status} ${await response.text()}`)
  return response
}
