/** All supported libraries. Each has its own file and is listed here. */
import { i18next } from './i18next.ts'
import type { Library } from './library.ts'
import { nextIntl } from './next-intl.ts'
import { reactI18next } from './react-i18next.ts'
import { reactIntl } from './react-intl.ts'
import { svelteI18n } from './svelte-i18n.ts'
import { virtualModules } from './virtual-modules.ts'
import { vueI18n } from './vue-i18n.ts'

export const LIBRARIES: readonly Library[] = [
  virtualModules,
  i18next,
  reactI18next,
  nextIntl,
  vueI18n,
  reactIntl,
  svelteI18n,
]
