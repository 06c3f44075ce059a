/**
 * Ambient types of the virtual modules. Add `"types": ["unplugin-localization/virtual"]` to `compilerOptions`.
 * Alternatively, the option `types` writes a declaration of the project's own languages, namespaces, keys and
 * placeholders; then leave this one out.
 */

/// <reference path="./virtual-strict.d.ts" />

/**
 * A namespace module exports its messages; a language module exports its messages by namespace. Generated declarations
 * have longer prefixes, and so take precedence in any order. Modules that they do not declare are then `never`.
 */
declare module 'virtual:translations*' {
  import type { Register } from 'virtual:translations'

  const messages: Register extends { readonly languages: string }
    ? never
    : { readonly [key: string]: string } & { readonly [key: string]: unknown }
  export default messages
}
