/** The settings of the app that checks of texts need. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TextCheckOptions } from '../catalog/check-texts.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { walkFiles } from '../shared/walk.ts'
import { I18NEXT_SYNTAX, loadVueSyntax } from './library-syntax.ts'

export type TextCheckSettings = Pick<
  TextCheckOptions,
  'pluralSeparator' | 'hasPipes' | 'hasPluralRules' | 'library' | 'fallback'
>

type Config = Pick<ResolvedConfig, 'root' | 'types' | 'pluralSeparator' | 'fallback'>

export async function textCheckSettings(config: Config): Promise<TextCheckSettings> {
  const { root, types, pluralSeparator, fallback } = config
  const has = await dependencyTest(root)
  const hasPipes = (types !== false && types.vueI18n) || (VUE_I18N.some(has) && !OTHERS.some(has))
  const isI18next = has('i18next') && !VUE_I18N.some(has)
  const library = hasPipes ? loadVueSyntax(root) : isI18next ? I18NEXT_SYNTAX : undefined
  return { pluralSeparator, fallback, hasPipes, hasPluralRules: hasPipes && (await setsPluralRules(root)), library }
}

const VUE_I18N = ['vue-i18n', 'vue-i18n-bridge', '@nuxtjs/i18n', '@intlify/unplugin-vue-i18n', 'petite-vue-i18n']
/** In an app that has one of these beside vue-i18n, `a | b` may be any text. */
const OTHERS = ['i18next', 'react-intl', '@formatjs/intl', 'svelte-i18n', 'next-intl']

async function dependencyTest(root: string): Promise<(name: string) => boolean> {
  try {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return (name) => Object.hasOwn({ ...dependencies, ...devDependencies }, name)
  } catch {
    return () => false
  }
}

const CODE = /\.(?:[cm]?[jt]sx?|vue)$/
const OTHER_FOLDERS = new Set(['node_modules', 'dist', 'build', 'coverage', 'public'])

/** vue-i18n's `pluralRules`, `pluralizationRules` of its legacy options. */
async function setsPluralRules(root: string): Promise<boolean> {
  for await (const path of walkFiles(root, { skipped: OTHER_FOLDERS, ignoresUnreadable: true })) {
    if (!CODE.test(path)) continue
    const code = await readFile(join(root, path), 'utf8').catch(() => '')
    if (/\bplural(?:ization)?Rules\b/.test(code)) return true
  }
  return false
}
