/** Ambient types of the virtual modules. Add `"types": ["unplugin-localization/virtual"]` to `compilerOptions`. */

declare module 'virtual:translations' {
  import type { Manifest } from 'unplugin-localization/runtime'

  export type { Language, Manifest, Messages, TranslationUpdate } from 'unplugin-localization/runtime'
  export const languages: Manifest['languages']
  export const defaultLanguage: Manifest['defaultLanguage']
  export const namespaces: Manifest['namespaces']
  export const load: Manifest['load']
  export const loadLanguage: Manifest['loadLanguage']
  export const has: Manifest['has']
  export const onUpdate: Manifest['onUpdate']
}

/** One namespace: its messages. One language: its messages by namespace. */
declare module 'virtual:translations/*' {
  const messages: { readonly [key: string]: string } & { readonly [key: string]: unknown }
  export default messages
}
