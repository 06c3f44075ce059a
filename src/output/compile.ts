/** The option `compile`: how texts are written into modules, and which of them could not be compiled. */
import type { IcuCompiler } from '../catalog/icu.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatPlace } from '../errors.ts'
import type { NamespaceId } from './ids.ts'

/** `undefined`: texts are strings. */
export async function loadCompiler(
  { compile }: Pick<ResolvedConfig, 'compile'>,
  language: string,
): Promise<IcuCompiler | undefined> {
  return compile === 'icu' ? (await import('../catalog/icu.ts')).createIcuCompiler(language) : undefined
}

const SHOWN = 10

/**
 * A line for each text of the module that stayed a string. A text that fills another language's gap is reported there.
 */
export function compileWarnings(
  translations: Translations,
  id: NamespaceId,
  problems: ReadonlyMap<string, string>,
): string[] {
  const lines = [...translations.messages(id.language, id.namespace, id.customer)].flatMap(([key, text]) => {
    const problem = problems.get(text)
    return problem !== undefined && isReportedHere(translations, id, key, text)
      ? [`${formatPlace({ ...id, key })}: is no ICU message and stays a string: ${problem}`]
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
