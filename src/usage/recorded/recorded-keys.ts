/** The file of recorded keys, which is committed: one line for each key, sorted, so that Git merges it well. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, messageOf } from '../../errors.ts'

const fileSchema = z.object({
  version: z.literal(1),
  keys: z.array(z.object({ namespace: z.string(), key: z.string(), isMissing: z.literal(true).optional() })),
})

export interface RecordedKey {
  readonly namespace: string
  readonly key: string
  /** An app used the key, and no language had it. */
  readonly isMissing?: true | undefined
}

export class RecordedKeys {
  readonly #used: ReadonlySet<string>

  /** @param keys each key once */
  constructor(readonly keys: readonly RecordedKey[]) {
    this.#used = new Set(this.used.map(idOf))
  }

  /** Keys of texts. */
  get used(): readonly RecordedKey[] {
    return this.keys.filter(({ isMissing }) => !isMissing)
  }

  get missing(): readonly RecordedKey[] {
    return this.keys.filter(({ isMissing }) => isMissing)
  }

  readonly isUsed = (namespace: string, key: string): boolean => this.#used.has(idOf({ namespace, key }))
}

/** No keys where there is no file. Errors: FILE_READ, FILE_SYNTAX. */
export async function readRecordedKeys({ root, usage }: Pick<ResolvedConfig, 'root' | 'usage'>): Promise<RecordedKeys> {
  const place = { file: usage.recorded }
  let text: string
  try {
    text = await readFile(join(root, usage.recorded), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return new RecordedKeys([])
    throw new LocalizationError(`cannot be read: ${messageOf(cause)}`, { code: 'FILE_READ', place, cause })
  }
  try {
    return new RecordedKeys(fileSchema.parse(JSON.parse(text)).keys)
  } catch (cause) {
    throw new LocalizationError('is no list of recorded keys', {
      code: 'FILE_SYNTAX',
      place,
      hint: 'Resolve conflicts of a merge in it, or restore the file; localization record writes it.',
      cause,
    })
  }
}

export function printRecordedKeys({ keys }: RecordedKeys): string {
  const lines = keys.map(({ namespace, key, isMissing }) =>
    JSON.stringify({ namespace, key, ...(isMissing && { isMissing }) }),
  )
  const list = lines.sort().map((line) => `\n    ${line}`)
  return `{\n  "version": 1,\n  "keys": [${list.join(',')}${list.length > 0 ? '\n  ' : ''}]\n}\n`
}

export function idOf({ namespace, key }: RecordedKey): string {
  return JSON.stringify([namespace, key])
}
