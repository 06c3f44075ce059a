/** The secrets that must not appear in a build's output. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from './session.ts'

/** The configuration's secrets, and the personal token of the project's local service, even if it is not running. */
export async function secretsToFind(session: Session): Promise<readonly string[]> {
  // A failed load ends the build anyway.
  const state = await session.ready().catch(() => undefined)
  const token = state && (await localToken(state.config.root))
  return token === undefined ? session.secrets() : [...new Set([...session.secrets(), token])]
}

/** Read without the schema, so that a file from another version works too. */
async function localToken(root: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(root, '.localization/service/service.json'), 'utf8')
    const { personalToken } = JSON.parse(text) as { readonly personalToken?: unknown }
    return typeof personalToken === 'string' ? personalToken : undefined
  } catch {
    return undefined
  }
}
