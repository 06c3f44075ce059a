/** Shows what publishing would change in an environment. */
import { join } from 'node:path'
import * as z from 'zod'
import type { Catalog } from '../catalog/model.ts'
import { toAppCatalog } from '../catalog/names.ts'
import { type TextRef, textId, textRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { count } from '../shared/figures.ts'
import { hostingSource } from '../sources/hosting.ts'
import { createResourceCache } from '../sources/resource-cache.ts'
import type { CommandContext } from './command.ts'
import { nameOf, refResult, type TextName, textRefResult } from './summary.ts'
import { listOf, MAX_CHARACTERS, type Paint, quoted, quotedChange } from './text.ts'

export const changeResult = textRefResult.extend({
  /** The published text; `null` if there is none. */
  before: z.string().nullable(),
  /** The text after publishing; `null` if there is none. */
  after: z.string().nullable(),
})
export type PublicationChange = z.infer<typeof changeResult>

/** The texts that differ between two environments; `null` if an environment cannot be read. */
export async function publicationChanges(
  context: CommandContext,
  from: string,
  to: string,
): Promise<PublicationChange[] | null> {
  const [source, target] = await Promise.all([publishedTexts(context, from), publishedTexts(context, to)])
  if (!source || !target) return null
  const changes: PublicationChange[] = []
  for (const id of new Set([...source.keys(), ...target.keys()])) {
    const [old, now] = [target.get(id), source.get(id)]
    const ref = (now ?? old)?.ref
    if (ref && now?.text !== old?.text)
      changes.push({ ...refResult(ref), before: old?.text ?? null, after: now?.text ?? null })
  }
  return changes
}

type Texts = ReadonlyMap<string, { readonly ref: TextRef; readonly text: string }>

async function publishedTexts(context: CommandContext, environment: string): Promise<Texts | undefined> {
  const [own, client] = await Promise.all([context.config(), context.client()])
  const config = { ...own, environment, namespaces: undefined }
  const resourceCache = createResourceCache(join(config.root, '.localization', 'downloads'))
  try {
    const { catalog } = await hostingSource.load({ config, client, resourceCache, signal: context.signal })
    return textsOf(toAppCatalog(catalog, config))
  } catch (error) {
    if (context.signal.aborted) throw error
    // Nothing is published there yet, or `service.cdnUrl` is not set.
    if (error instanceof LocalizationError) return undefined
    throw error
  }
}

function textsOf({ parts }: Catalog): Texts {
  const texts = new Map<string, { readonly ref: TextRef; readonly text: string }>()
  for (const { language, namespace, customer, messages } of parts) {
    for (const [key, text] of messages) {
      const ref = textRef({ language, namespace, customer }, key)
      texts.set(textId(ref), { ref, text })
    }
  }
  return texts
}

const SHOWN = 10

type ShownChange = TextName & Pick<PublicationChange, 'before' | 'after'>

/** Formats the changes as `diff` does: the old text, then the new one. */
export function changeLines(changes: readonly ShownChange[], paint: Paint): string[] {
  const line = (sign: '-' | '+', text: string) => paint(sign === '-' ? 'red' : 'green', `  ${sign} ${text}`)
  const linesOf = ({ before, after, ...ref }: ShownChange) => {
    if (before !== null && after !== null) {
      const [old, now] = quotedChange(before, after, ref.language, paint)
      return [nameOf(ref), line('-', old), line('+', now)]
    }
    return [nameOf(ref), line(before === null ? '+' : '-', quoted(after ?? before ?? '', MAX_CHARACTERS))]
  }
  return listOf(changes, SHOWN, linesOf, (rest) => `and ${count(rest, 'more text')}`)
}

/** Formats a summary, such as `3 texts: 1 changed, 2 new`. */
export function changeSummary(changes: readonly ShownChange[]): string {
  const added = changes.filter(({ before }) => before === null).length
  const deleted = changes.filter(({ after }) => after === null).length
  const changed = changes.length - added - deleted
  const parts = [
    [changed, 'changed'],
    [added, 'new'],
    [deleted, 'deleted'],
  ].flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]))
  return parts.length === 0 ? 'no text changes' : `${count(changes.length, 'text')}: ${parts.join(', ')}`
}
