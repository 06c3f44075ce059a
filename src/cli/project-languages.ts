/** The project's languages, from the project information where the service has it, else from its texts. */
import type { Client } from '../api/client.ts'
import { appLanguage } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'

export interface ProjectLanguages {
  /** The app's codes. */
  readonly languages: readonly string[]
  readonly defaultLanguage: string | undefined
}

/** `undefined`: the service does not tell. */
export async function projectLanguages(client: Client, config: ResolvedConfig): Promise<ProjectLanguages | undefined> {
  // Beyond the contract: a service that refuses it in any way just does not tell.
  const info = await client.project.info().catch(() => undefined)
  if (!info?.languages) return undefined
  return {
    languages: info.languages.map(({ key }) => appLanguage(key, config)),
    defaultLanguage: info.languages.filter(({ isDefault }) => isDefault).map(({ key }) => appLanguage(key, config))[0],
  }
}
