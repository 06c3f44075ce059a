/** API keys in `.env` files. */
import { chmod, readFile } from 'node:fs/promises'
import { writeFileAtomic } from '../shared/atomic-write.ts'

/** Sets one variable of a `.env` file and leaves the rest as it is. Resolves to whether it was set before. */
export async function writeKey(path: string, apiKey: string): Promise<boolean> {
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
  return kept.length < lines.length
}
