/** The languages of the service's project. */
import type { Client } from '../api/client.ts'
import { appLanguage } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'

export interface ProjectLanguages {
  /** The app's codes. */
  readonly languages: readonly string[]
  readonly defaultLanguage: string | undefined
}

/** Resolves to `undefined` if the service does not list its languages. */
export async function projectLanguages(client: Client, config: ResolvedConfig): Promise<ProjectLanguages | undefined> {
  // The contract does not require this endpoint, so any failure means that the service lacks it.
  const info = await client.project.info().catch(() => undefined)
  if (!info?.languages) return undefined
  return {
    languages: info.languages.map(({ key }) => appLanguage(key, config)),
    defaultLanguage: info.languages.filter(({ isDefault }) => isDefault).map(({ key }) => appLanguage(key, config))[0],
  }
}
