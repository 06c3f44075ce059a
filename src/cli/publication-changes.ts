/** The changes that a publish would make to a published environment. */
import { join } from 'node:path'
import type { Catalog } from '../catalog/model.ts'
import { toAppCatalog } from '../catalog/names.ts'
import { type TextRef, textId, textRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { count } from '../shared/figures.ts'
import { hostingSource } from '../sources/hosting.ts'
import { createResourceCache } from '../sources/resource-cache.ts'
import type { CommandContext } from './command.ts'
import { nameOf } from './summary.ts'
import { listOf, MAX_CHARACTERS, type Paint, quoted, quotedChange } from './text.ts'

export interface PublicationChange {
  readonly ref: TextRef
  /** The published text; `undefined` if there is none. */
  readonly before: string | undefined
  /** The text after the publish; `undefined` if there is none. */
  readonly after: string | undefined
}

/** The texts that differ between two environments; `undefined` if an environment cannot be read. */
export async function publicationChanges(
  context: CommandContext,
  from: string,
  to: string,
): Promise<PublicationChange[] | undefined> {
  const [source, target] = await Promise.all([publishedTexts(context, from), publishedTexts(context, to)])
  if (!source || !target) return undefined
  const changes: PublicationChange[] = []
  for (const [id, { ref, text }] of source)
    if (target.get(id)?.text !== text) changes.push({ ref, before: target.get(id)?.text, after: text })
  for (const [id, { ref, text }] of target) if (!source.has(id)) changes.push({ ref, before: text, after: undefined })
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
    // Nothing has been published there yet, or `service.cdnUrl` is not set.
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

/** The changes in the form that `diff` prints: first the old text, then the new one. */
export function changeLines(changes: readonly PublicationChange[], paint: Paint): string[] {
  const line = (sign: '-' | '+', text: string) => paint(sign === '-' ? 'red' : 'green', `  ${sign} ${text}`)
  const linesOf = ({ ref, before, after }: PublicationChange) => {
    if (before !== undefined && after !== undefined) {
      const [old, now] = quotedChange(before, after, ref.language, paint)
      return [nameOf(ref), line('-', old), line('+', now)]
    }
    const isNew = before === undefined
    return [nameOf(ref), line(isNew ? '+' : '-', quoted(after ?? before ?? '', MAX_CHARACTERS))]
  }
  return listOf(changes, SHOWN, linesOf, (rest) => `and ${count(rest, 'more text')}`)
}

/** A summary, such as `3 texts: 1 changed, 2 new`. */
export function changeSummary(changes: readonly PublicationChange[]): string {
  const added = changes.filter(({ before }) => before === undefined).length
  const deleted = changes.filter(({ after }) => after === undefined).length
  const changed = changes.length - added - deleted
  const parts = [
    [changed, 'changed'],
    [added, 'new'],
    [deleted, 'deleted'],
  ].flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]))
  return parts.length === 0 ? 'no text changes' : `${count(changes.length, 'text')}: ${parts.join(', ')}`
}
