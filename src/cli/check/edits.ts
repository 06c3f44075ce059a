/** Checks texts before they are written, with the rules of `localization check`. */
import { createReferenceCheck } from '../../catalog/check-references.ts'
import type { Finding } from '../../catalog/finding.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import { parsePluralKey } from '../../catalog/plurals.ts'
import { partId, type TextRef } from '../../catalog/text-id.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { scopeOf } from '../filters.ts'
import { findInTexts } from './texts.ts'

interface Edit {
  readonly ref: TextRef
  readonly text: string | undefined
}

/** Returns findings about the edited texts and their plurals, and new findings elsewhere in their namespaces. */
export async function checkEdits(
  { catalog, config }: { readonly catalog: Catalog; readonly config: ResolvedConfig },
  edits: readonly Edit[],
): Promise<{ readonly findings: readonly Finding[]; readonly after: Catalog }> {
  const namespaces = new Set(edits.map(({ ref }) => ref.namespace))
  const [before, after] = [[], edits].map((some) => withTexts(catalog, namespaces, some)) as [Catalog, Catalog]
  const settings = await textCheckSettings(config)
  const findings = (checked: Catalog) =>
    findInTexts({ catalog: checked, config, scope: scopeOf({}) }, {}, settings).filter(
      // The excluded rules need all texts of a language, but these catalogs contain only some.
      ({ rule }) => rule !== 'coverage' && rule !== 'language',
    )
  const isTouched = touches(edits, config.pluralSeparator)
  const known = new Set(findings(before).map(idOf))
  const others = catalog.parts.filter(({ namespace }) => !namespaces.has(namespace))
  const checkReference = createReferenceCheck(createCatalog({ parts: [...others, ...after.parts] }), {
    ...settings,
    keySeparator: config.keySeparator,
  })
  const found = [
    ...findings(after).filter((finding) => isTouched(finding) || !known.has(idOf(finding))),
    ...edits.flatMap(({ ref, text = '' }) => checkReference(ref, text)),
  ]
  return { findings: found, after }
}

/** The texts of these namespaces, with the edits applied. */
function withTexts(catalog: Catalog, namespaces: ReadonlySet<string>, edits: readonly Edit[]): Catalog {
  const parts = new Map(
    catalog.parts
      .filter(({ namespace }) => namespaces.has(namespace))
      .map(({ lazy: _, ...part }) => [partId(part), { ...part, messages: new Map(part.messages) }]),
  )
  for (const { ref, text } of edits) {
    const { key, ...part } = ref
    const own = parts.get(partId(part)) ?? { ...part, messages: new Map<string, string>() }
    if (text !== undefined) own.messages.set(key, text)
    parts.set(partId(part), own as never)
  }
  return createCatalog({ languages: catalog.languages, parts: [...parts.values()] })
}

/** Matches findings about an edited text, or about a plural with an edited form. */
function touches(edits: readonly Edit[], separator: string): (finding: Finding) => boolean {
  const stem = (key: string) => parsePluralKey(key, separator)?.prefix ?? key
  const id = ({ language, namespace, key }: Partial<TextRef>) => JSON.stringify([language, namespace, stem(key ?? '')])
  const ids = new Set(edits.map(({ ref }) => id(ref)))
  return ({ place }) => ids.has(id(place))
}

function idOf({ rule, message, place }: Finding): string {
  return JSON.stringify([rule, message, place.language, place.namespace, place.key, place.customer])
}
