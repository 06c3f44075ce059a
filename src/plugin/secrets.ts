/** The secrets that a build's output may not hold. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from './session.ts'

/** The configuration's secrets, and the personal token of the project's local service, running or not. */
export async function secretsToFind(session: Session): Promise<readonly string[]> {
  // A load that fails ends the build by itself.
  const state = await session.ready().catch(() => undefined)
  const token = state && (await localToken(state.config.root))
  return token === undefined ? session.secrets() : [...new Set([...session.secrets(), token])]
}

/** Read without its schema: what another version wrote counts as well. */
async function localToken(root: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(root, '.localization/service/service.json'), 'utf8')
    const { personalToken } = JSON.parse(text) as { readonly personalToken?: unknown }
    return typeof personalToken === 'string' ? personalToken : undefined
  } catch {
    return undefined
  }
}
