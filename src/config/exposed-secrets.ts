/** Secrets in variables that a bundler or a framework puts into the page: as good as published. */
import { ENVIRONMENT_OPTIONS, type Environment } from './env.ts'
import { textIn } from './layers.ts'
import type { OptionProblem } from './problems.ts'

/** Variables with these prefixes reach the page. */
export const CLIENT_PREFIXES: readonly string[] = [
  'VITE_',
  'NEXT_PUBLIC_',
  'PUBLIC_',
  'REACT_APP_',
  'NUXT_PUBLIC_',
  'GATSBY_',
  'VUE_APP_',
  'EXPO_PUBLIC_',
  'STORYBOOK_',
  'RSBUILD_PUBLIC_',
  'FARM_',
  'NG_APP_',
  'PARCEL_PUBLIC_',
]

/** A problem for each variable that holds a secret of `service`, or that is named after one. */
export function exposedSecrets({ values, clientPrefixes = [] }: Environment, service: unknown): OptionProblem[] {
  const prefixes = [...CLIENT_PREFIXES, ...clientPrefixes].filter((prefix) => prefix !== '')
  return [...values].flatMap(([variable, { value, file }]) => {
    const prefix = prefixes.find((each) => variable.startsWith(each))
    if (prefix === undefined) return []
    const where = `the variable ${variable}${file === undefined ? '' : ` in ${file}`}`
    const reason = `variables that begin with ${prefix} are put into the page`
    for (const own of ['LOCALIZATION_API_KEY', 'LOCALIZATION_PERSONAL_TOKEN'] as const) {
      const option = ENVIRONMENT_OPTIONS[own]
      const path = `service.${option}`
      if (value.trim() === textIn(service, option)) {
        const hint = variable === own ? `Take ${prefix} out of envPrefix.` : `Rename it to ${own}.`
        return [{ path, message: `${where} holds the same value, and ${reason}`, hint }]
      }
      if (variable !== own && variable.endsWith(own)) {
        const hint = `Rename it to ${own}, and replace what it held if it was ever published.`
        return [{ path, message: `${where} is set, and ${reason}`, hint }]
      }
    }
    return []
  })
}
