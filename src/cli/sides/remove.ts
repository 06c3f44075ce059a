import type { PartRef } from '../../catalog/text-id.ts'
import { displayPath } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { updateTranslationText } from '../../files/write.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import type { Sides } from './load.ts'

/** Takes keys out of a part's file and leaves the rest as it is. */
export async function removeFromFile(
  { config, files }: Sides,
  part: PartRef,
  keys: ReadonlySet<string>,
): Promise<'written' | 'changed' | 'broken' | 'homeless'> {
  const path = files.pathOf(part)
  if (path === undefined) return 'homeless'
  const { keySeparator } = config
  const file = displayPath(config.root, path)
  const content = await readTranslationFile(path, { keySeparator, file })
  if (!content) return 'written'
  if (!content.ok) return 'broken'
  // Somebody edited a text since it was compared: it is not the one that was to go.
  for (const key of keys) if (content.entries.get(key) !== files.text({ ...part, key })) return 'changed'
  const changes = new Map([...keys].map((key) => [key, undefined]))
  const current = Buffer.from(content.bytes).toString('utf8')
  await writeFileAtomic(path, updateTranslationText(current, changes, { keySeparator, file }))
  await files.scan()
  return 'written'
}
