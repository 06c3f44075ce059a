/** Generates the code of each virtual module, and lists the files on which the code depends. */
import { readFile } from 'node:fs/promises'
import type { PartRef } from '../catalog/text-id.ts'
import { assertKnown } from '../catalog/translations.ts'
import { type HotApi, hotRuntimeCode, type ModuleHow } from '../output/hot.ts'
import type { KnownNames, ModuleId } from '../output/ids.ts'
import { generateManifest } from '../output/manifest.ts'
import { generateLanguageModule, generateNamespaceModule, generatePendingModule } from '../output/messages.ts'
import { generateTexts, type KeptKeys } from '../output/texts.ts'
import type { LoadedState } from './state.ts'

/**
 * Throws UNKNOWN_LANGUAGE, UNKNOWN_NAMESPACE or UNKNOWN_CUSTOMER if a module's id contains an unknown name. The message
 * suggests the most similar known name.
 */
export function checkNames({ languages, namespaces, customers }: KnownNames, id: ModuleId): void {
  if (id.kind === 'manifest' || id.kind === 'runtime') return
  assertKnown('language', id.language, languages)
  if (id.kind === 'namespace') assertKnown('namespace', id.namespace, namespaces)
  if (id.customer !== undefined) assertKnown('customer', id.customer, customers)
}

/** Returns the module's code, and the absolute paths of the files on which the code depends. */
export async function generateModule(
  { translations, loaded, config }: LoadedState,
  id: ModuleId,
  hot: HotApi | undefined,
  given: ModuleHow = {},
) {
  const how: ModuleHow = { ...given, hot, edit: config.edit, live: config.delivery === 'live' ? config : undefined }
  const plain = { files: [] as string[], warnings: [] as string[], kept: [] as KeptKeys[] }
  switch (id.kind) {
    case 'runtime': {
      const code = await readFile(runtimeFile(how), 'utf8')
      return { ...plain, code: hot ? code + hotRuntimeCode(hot, how) : code }
    }
    case 'manifest': {
      // Message files are not modules, so the manifest depends on the translation files of all of them.
      const files = how.chunkAddresses === undefined ? [] : loaded.files.list.map(({ path }) => path)
      return { ...plain, code: generateManifest(translations, how), files }
    }
    case 'language':
      return { ...plain, code: generateLanguageModule(translations, id, how.specifier) }
    case 'namespace': {
      const languages = translations.chain(id.language)
      const isUsed = (file: PartRef) => file.namespace === id.namespace && languages.includes(file.language)
      const files = loaded.files.list.filter(isUsed).map(({ path }) => path)
      if (how.isPending) return { ...plain, code: generatePendingModule(id, how), files }
      const { json, warnings, kept } = await generateTexts(translations, config, id)
      return { code: generateNamespaceModule(id, json, how), files, warnings, kept }
    }
  }
}

/** Returns the file with the runtime, which is next to this file in the built package. The runtime has no imports. */
function runtimeFile({ live, hot, isEs5 = false }: ModuleHow): URL {
  return new URL(`./${live && !hot ? 'runtime-live' : 'runtime'}${isEs5 ? '.es5' : ''}.js`, import.meta.url)
}
