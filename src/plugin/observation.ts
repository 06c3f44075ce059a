/** Whether the keys that pages ask for are observed: to record them, and to warn of keys that a build left out. */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ObserverSettings } from '../observed/observer.ts'
import { toPosix } from '../shared/paths.ts'
import { ignoreInGit } from '../shared/private-folder.ts'
import { recordingsFolder } from '../usage/recorded/recordings-folder.ts'
import type { LoadedState } from './state.ts'

/** The glue that copies messages. Where keys are observed, another file replaces it. */
export const GLUE_FILTER = /^unplugin-localization\/(?:i18next|vue-i18n|react-intl)$/

/** The file of the glue that observes. */
export function observedGlue(request: string): string {
  const [, name = ''] = request.split('/')
  return fileURLToPath(new URL(`./observed-${name}.js`, import.meta.url))
}

/** @param isDev pages are served by a dev server */
export async function observationOf(
  { config, translations }: LoadedState,
  isDev: boolean,
): Promise<ObserverSettings | undefined> {
  const { record, root, prune, keySeparator } = config
  const leftOut = isDev && prune !== false ? await (await import('./left-out.ts')).readLeftOut(root) : {}
  if (!record && Object.keys(leftOut).length === 0) return undefined
  const folder = recordingsFolder(root)
  if (record && (await mkdir(folder, { recursive: true }))) ignoreInGit(folder)
  const { defaultNamespace } = translations
  return { defaultNamespace, keySeparator, leftOut, ...(record && { folder: toPosix(folder) }) }
}
