/** Names in the contract that are neutral placeholders. A real service uses other names. */

export const PROVIDER_NAMES = ['PROVIDER_A', 'PROVIDER_B'] as const
export const MEMBER_NAMES = ['providerBGlossaryId', 'providerBApiKey', 'providerBFormality'] as const

/** The service's name for each placeholder. Default: the contract's name. */
export interface ServiceNames {
  readonly PROVIDER_A?: string | undefined
  readonly PROVIDER_B?: string | undefined
  readonly providerBGlossaryId?: string | undefined
  readonly providerBApiKey?: string | undefined
  readonly providerBFormality?: string | undefined
}

/** The other fields in a request that starts a job. They have the same names in every service. */
const OTHER_MEMBERS = [
  'translationProvider',
  'targetProjectLanguage',
  'targetLanguage',
  'sourceProjectLanguage',
  'sourceLanguage',
  'options',
]

/** Returns the problem if a name is empty or used twice. */
export function problemOfNames(names: ServiceNames): string | undefined {
  const spelled = (of: readonly (keyof ServiceNames)[]) => of.map((name) => names[name] ?? name)
  for (const all of [spelled(PROVIDER_NAMES), [...spelled(MEMBER_NAMES), ...OTHER_MEMBERS]]) {
    if (all.includes('')) return 'has an empty name'
    const repeated = all.find((name, at) => all.indexOf(name) !== at)
    if (repeated !== undefined) return `has the name ${JSON.stringify(repeated)} twice`
  }
  return undefined
}

type Members = Readonly<Record<string, unknown>>

/** Renames the contract's fields, and the provider in `translationProvider`, to the service's names. */
export function toServiceNames(value: Members, names: ServiceNames): Members {
  return rename(value, new Map(Object.entries(names)))
}

/**
 * Renames the service's fields and providers to the contract's names. Unknown providers stay the same. If the service
 * uses a different name, the contract's own name means nothing in a response. A field with that name is removed, and a
 * provider with that name becomes unknown.
 */
export function fromServiceNames(value: Members, names: ServiceNames): Members {
  const given = Object.entries(names).flatMap(([name, spelled]) => (spelled === undefined ? [] : [[spelled, name]]))
  const unknown = Object.keys(names).map((name) => [name, undefined] as const)
  return rename(value, new Map<string, string | undefined>([...unknown, ...(given as [string, string][])]))
}

function rename(value: Members, spellings: ReadonlyMap<string, string | undefined>): Members {
  const renamed: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const isProvider = name === 'translationProvider' && typeof member === 'string' && spellings.has(member)
    const spelled = spellings.has(name) ? spellings.get(name) : name
    if (spelled !== undefined) renamed[spelled] = isProvider ? (spellings.get(member) ?? `not ${member}`) : member
  }
  return renamed
}
