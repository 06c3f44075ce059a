/**
 * Ambient types for the virtual modules. Add `"types": ["unplugin-localization/virtual"]` to `compilerOptions`. If you
 * set the option `types`, a declaration for the project's own languages, namespaces, keys and placeholders is
 * generated. In that case, leave this file out.
 */

/// <reference path="./virtual-strict.d.ts" />

/**
 * A namespace module exports its messages; a language module exports its messages by namespace. The prefixes in
 * generated declarations are longer, so they take precedence in any order. Modules that they do not declare are then
 * `never`.
 */
declare module 'virtual:translations*' {
  import type { Register } from 'virtual:translations'

  const messages: Register extends { readonly languages: string }
    ? never
    : { readonly [key: string]: string } & { readonly [key: string]: unknown }
  export default messages
}
