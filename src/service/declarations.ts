/** Languages, customers and environments that the options declare for all projects. */
import { LocalizationError, messageOf } from '../errors.ts'
import { checkLanguage } from './import-file.ts'
import type { CustomerDeclaration, LanguageDeclaration, LocalServiceOptions } from './options.ts'
import { LATEST, PRODUCTION } from './store/projects.ts'
import type { ServiceStore, Store } from './store/store.ts'

export interface Declarations {
  readonly defaultLanguage: string
  readonly languages: readonly LanguageDeclaration[]
  readonly customers: readonly CustomerDeclaration[]
  readonly environments: readonly string[]
}

/** @throws LocalizationError `SERVICE_START` if a name is invalid. */
export function parseDeclarations(options: LocalServiceOptions): Declarations {
  const { defaultLanguage = 'en' } = options
  const languages = (options.languages ?? []).map((item) => (typeof item === 'string' ? { key: item } : item))
  const customers = (options.customers ?? []).map((item) => (typeof item === 'string' ? { key: item } : item))
  const environments = (options.environments ?? []).filter((key) => key !== LATEST)
  try {
    for (const key of [defaultLanguage, ...languages.map(({ key }) => key)]) checkLanguage(key)
  } catch (error) {
    throw new LocalizationError(messageOf(error), { code: 'SERVICE_START' })
  }
  if (customers.some(({ key }) => key === '')) {
    throw new LocalizationError("a customer's key is empty", { code: 'SERVICE_START' })
  }
  const wrong = environments.find((key) => key !== PRODUCTION && !/^[A-Za-z0-9][\w.-]*$/.test(key))
  if (wrong !== undefined) {
    throw new LocalizationError(`an environment cannot be named ${JSON.stringify(wrong)}`, {
      code: 'SERVICE_START',
      hint: 'The name must start with a letter or digit, and contain only letters, digits, "_", "-" and ".".',
    })
  }
  const tail = environments.includes(PRODUCTION) ? [] : [PRODUCTION]
  return { defaultLanguage, languages, customers, environments: [LATEST, ...environments, ...tail] }
}

/**
 * Writes only declarations that are not stored yet, so that a start usually need not wait for writes by other
 * processes.
 */
export async function declareForAll(store: ServiceStore, declarations: Declarations): Promise<void> {
  for (const { id } of await store.projects.all()) {
    if (await isDeclared(store, id, declarations)) continue
    await store.transaction((tx) => declare(tx, id, declarations))
  }
}

async function isDeclared({ projects }: Store, projectId: number, declarations: Declarations): Promise<boolean> {
  const languages = new Set((await projects.languages(projectId)).map(({ key }) => key))
  const customers = new Map((await projects.customers(projectId)).map(({ key, description }) => [key, description]))
  const environments = await projects.environments(projectId)
  const ordered = [...new Set([...declarations.environments, ...environments])]
  return (
    declarations.languages.every(({ key }) => languages.has(key)) &&
    declarations.customers.every(({ key, description = '' }) => customers.get(key) === description) &&
    ordered.every((key, i) => key === environments[i])
  )
}

/** Must be called in a transaction. */
export async function declare({ projects }: Store, projectId: number, declarations: Declarations): Promise<void> {
  await projects.addLanguages(projectId, declarations.languages)
  for (const customer of declarations.customers) await projects.addCustomer(projectId, customer)
  await projects.setEnvironments(projectId, declarations.environments)
}
