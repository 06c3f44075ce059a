/** Languages, customers and environments that the options declare for every project. */
import { LocalizationError, messageOf } from '../errors.ts'
import { checkLanguage } from './import-file.ts'
import type { CustomerDeclaration, LanguageDeclaration, LocalServiceOptions } from './options.ts'
import { LATEST, PRODUCTION } from './store/projects.ts'
import type { Store } from './store/store.ts'

export interface Declarations {
  readonly defaultLanguage: string
  readonly languages: readonly LanguageDeclaration[]
  readonly customers: readonly CustomerDeclaration[]
  readonly environments: readonly string[]
}

/** @throws LocalizationError `SERVICE_START` for a name that cannot be used. */
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
      hint: 'Start with a letter or digit, go on with letters, digits, "_", "-" and ".".',
    })
  }
  const tail = environments.includes(PRODUCTION) ? [] : [PRODUCTION]
  return { defaultLanguage, languages, customers, environments: [LATEST, ...environments, ...tail] }
}

/** In a transaction. */
export async function declare({ projects }: Store, projectId: number, declarations: Declarations): Promise<void> {
  await projects.addLanguages(projectId, declarations.languages)
  for (const customer of declarations.customers) await projects.addCustomer(projectId, customer)
  await projects.setEnvironments(projectId, declarations.environments)
}
