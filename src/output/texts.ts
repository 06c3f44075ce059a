/** Generates a namespace's texts as JSON, for every kind of module, with warnings about the texts. */

import type { Translations } from '../catalog/translations.ts'
import { objectTest } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatPlace } from '../errors.ts'
import { listed } from '../shared/figures.ts'
import { formatRequest, type NamespaceId } from './ids.ts'
import { asJson, asString, type JsonFrames, messagesJson, nestedMessagesJson } from './literal.ts'
import { type ValueWriter, writeValues } from './values.ts'

const SHOWN = 10

/**
 * Returns one warning for each text that could not be compiled. If a text is also the fallback in other languages, only
 * its own language reports it.
 */
function compileWarnings(translations: Translations, id: NamespaceId, problems: ReadonlyMap<string, string>): string[] {
  const lines = [...translations.messages(id.language, id.namespace, id.customer)].flatMap(([key, text]) => {
    const problem = problems.get(text)
    return problem !== undefined && isReportedHere(translations, id, key, text)
      ? [`${formatPlace({ ...id, key })}: not a valid ICU message, kept as a string: ${problem}`]
      : []
  })
  return lines.length <= SHOWN
    ? lines
    : [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more in ${formatPlace(id)}`]
}

function isReportedHere(translations: Translations, id: NamespaceId, key: string, text: string): boolean {
  const { catalog, languages, customers } = translations
  const owner = translations
    .chain(id.language)
    .find((language) =>
      [undefined, ...customers].some(
        (customer) => catalog.messages(language, id.namespace, customer)?.get(key) === text,
      ),
    )
  return owner === id.language || (owner !== undefined && languages.every((language) => language.key !== owner))
}

/**
 * Returns the JSON, warnings, and keys that cannot be nested (`kept`). The caller reports them for all modules
 * together.
 *
 * @param frames pass the same frames to consecutive calls for one namespace, so that they can be reused
 */
export async function generateTexts(
  translations: Translations,
  config: Pick<ResolvedConfig, 'shape' | 'keySeparator' | 'compile'>,
  id: NamespaceId,
  frames?: JsonFrames,
) {
  const { shape, keySeparator, compile } = config
  const messages = translations.messages(id.language, id.namespace, id.customer)
  const values = translations.values(id.language, id.namespace, id.customer)
  const compiler = compile === 'icu' ? (await import('../catalog/icu.ts')).createIcuCompiler(id.language) : undefined
  const written = values && writeValues(messages, values, keySeparator, jsonWriter(keySeparator, compiler?.encode))
  const [entries, encode] = written ? [written, asJson] : [messages, compiler?.encode]
  const { json, kept } =
    shape === 'nested'
      ? // The name of an object in one language may be the key of a text in another.
        nestedMessagesJson(entries, keySeparator, encode, objectTest(values), values ? undefined : frames)
      : { json: messagesJson(entries, encode, frames), kept: [] }
  return {
    json,
    warnings: compiler && compiler.problems.size > 0 ? compileWarnings(translations, id, compiler.problems) : [],
    kept: kept.length === 0 ? [] : [{ id, kept } satisfies KeptKeys],
  }
}

function jsonWriter(separator: string, encode = asString): ValueWriter {
  return {
    text: encode,
    scalar: asJson,
    array: (items) => `[${items.join(',')}]`,
    object: (members, isObject) => nestedMessagesJson(members, separator, asJson, isObject).json,
  }
}

export interface KeptKeys {
  readonly id: NamespaceId
  readonly kept: readonly string[]
}

/** Returns the warning about keys that `shape: 'nested'` cannot nest: one line for all modules of a build. */
export function keptWarning(modules: readonly KeptKeys[]): string {
  const [first, ...rest] = modules as readonly [KeptKeys, ...KeptKeys[]]
  const shown = listed(first.kept.map((key) => JSON.stringify(key)))
  const others = rest.slice(0, 2).map(({ id }) => formatPlace(id))
  const figure = `${modules.length.toLocaleString('en')} modules have such keys, also ${others.join(' and ')}`
  const also = rest.length === 0 ? '' : ` (${figure}; localization check --verbose lists them)`
  const why = 'a shorter key is a text, or a part of the key is empty'
  return (
    `${formatPlace(first.id)}: cannot nest ${shown}${also}: ${why}. ` +
    `These keys are not split in ${formatRequest(first.id)}; ` +
    "shape: 'flat' has no such limit, and with keySeparator: false, no key is split."
  )
}
