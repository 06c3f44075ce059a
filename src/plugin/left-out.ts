/** The keys that the last production build left out: pages in development warn when they use one. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { writeIfChanged } from '../shared/atomic-write.ts'
import type { LoadedState } from './state.ts'

const fileOf = (root: string) => join(root, '.localization', 'left-out.json')

const schema = z.object({ version: z.literal(1), keys: z.record(z.string(), z.array(z.string())) })

/** By namespace. None is empty. */
export type LeftOutKeys = Readonly<Record<string, readonly string[]>>

/** @param pruned what pages of the build get */
export async function writeLeftOut(full: LoadedState, pruned: LoadedState, logger: Logger): Promise<void> {
  const names = full.translations.namespaces.flatMap((namespace) => {
    const kept = keysOf(pruned, namespace)
    const keys = [...keysOf(full, namespace)].filter((key) => !kept.has(key)).sort()
    return keys.length === 0 ? [] : [[namespace, keys] as const]
  })
  const text = `${JSON.stringify({ version: 1, keys: Object.fromEntries(names) }, null, 1)}\n`
  try {
    await writeIfChanged(fileOf(full.config.root), text, { durable: false })
  } catch (error) {
    logger.warn(`development pages will not know which keys this build left out. ${messageOf(error)}`)
  }
}

/** None where no production build left out any, or the file is damaged. */
export async function readLeftOut(root: string): Promise<LeftOutKeys> {
  try {
    return schema.parse(JSON.parse(await readFile(fileOf(root), 'utf8'))).keys
  } catch {
    return {}
  }
}

/** Of every language. */
function keysOf({ translations }: LoadedState, namespace: string): Set<string> {
  const { languages, messages, values } = translations
  return new Set(
    languages.flatMap(({ key }) => [
      ...messages(key, namespace).keys(),
      ...[...(values(key, namespace) ?? [])].flatMap(([name, { kind }]) => (kind === 'branch' ? [] : [name])),
    ]),
  )
}
