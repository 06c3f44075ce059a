/** The settings of the app that checks of texts need. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TextCheckOptions } from '../catalog/check-texts.ts'
import type { ResolvedConfig } from '../config/types.ts'

export type TextCheckSettings = Pick<TextCheckOptions, 'pluralSeparator' | 'hasPipes' | 'fallback'>

type Config = Pick<ResolvedConfig, 'root' | 'types' | 'pluralSeparator' | 'fallback'>

export async function textCheckSettings(config: Config): Promise<TextCheckSettings> {
  const { pluralSeparator, fallback } = config
  return { pluralSeparator, fallback, hasPipes: await usesVueI18n(config) }
}

const VUE_I18N = ['vue-i18n', 'vue-i18n-bridge', '@nuxtjs/i18n', '@intlify/unplugin-vue-i18n', 'petite-vue-i18n']
/** In an app with one of these, too, `a | b` may be any text. */
const OTHERS = ['i18next', 'react-intl', '@formatjs/intl', 'svelte-i18n', 'next-intl']

/** Whether `car | cars` is a plural: with `types.vueI18n`, or if the app has vue-i18n and none of `OTHERS`. */
async function usesVueI18n({ root, types }: Config): Promise<boolean> {
  if (types !== false && types.vueI18n) return true
  try {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const has = (name: string) => Object.hasOwn({ ...dependencies, ...devDependencies }, name)
    return VUE_I18N.some(has) && !OTHERS.some(has)
  } catch {
    return false
  }
}
