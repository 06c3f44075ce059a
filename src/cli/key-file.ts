/** Writes API keys to `.env` files. */
import { chmod, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import type { CommandContext } from './command.ts'

/** Sets LOCALIZATION_API_KEY and keeps all other lines. Warns if that replaces another key. */
export async function saveKey({ out, globals }: CommandContext, file: string, apiKey: string): Promise<void> {
  const path = resolve(globals.root, file)
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = content.split('\n')
  const kept = lines.filter((line) => !/^\s*(?:export\s+)?LOCALIZATION_API_KEY\s*=/.test(line))
  const rest = kept.join('\n').trimEnd()
  const text = `${rest === '' ? '' : `${rest}\n`}LOCALIZATION_API_KEY=${apiKey}\n`
  await writeFileAtomic(path, text, { mode: 0o600 })
  await chmod(path, 0o600)
  if (kept.length < lines.length) out.warn(`replaced the API key in ${file}`)
}
