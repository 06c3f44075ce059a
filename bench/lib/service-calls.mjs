/** Calls to the local service the way a script would make them: plain HTTP, without this package's own client. */

export async function call(address, { method = 'GET', headers = {}, body } = {}) {
  const isRaw = body === undefined || body instanceof FormData
  const send = () =>
    fetch(address, {
      method,
      headers: { ...(!isRaw && { 'content-type': 'application/json' }), ...headers },
      body: isRaw ? body : JSON.stringify(body),
    })
  // A connection that nobody used for a while may end in the moment it is used again.
  const response = await send().catch((error) => {
    if (method !== 'GET' && method !== 'PATCH') throw error
    return send()
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text.slice(0, 200)}`)
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
}

/** A project with its key as a header. */
export async function createProject({ baseUrl, personalToken }, name = 'bench') {
  const { data } = await call(`${baseUrl}/api/v2/projects`, {
    method: 'POST',
    headers: { authorization: personalToken },
    body: { name },
  })
  return { apiKey: data.apiKey, projectToken: data.projectToken, headers: { 'X-Service-Token': data.apiKey } }
}

const IMPORT_QUERY = 'uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'

/** Imports one namespace, all languages in one file (its text, or an object). */
export function importTexts({ baseUrl, headers }, namespace, file) {
  const body = new FormData()
  body.set('file', new Blob([typeof file === 'string' ? file : JSON.stringify(file)]), 'texts.json')
  const query = `${IMPORT_QUERY}&namespace=${encodeURIComponent(namespace)}`
  return call(`${baseUrl}/api/v2/import?${query}`, { method: 'POST', headers, body })
}
