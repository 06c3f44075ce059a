/** Generates the code of each virtual module, and lists the files that it depends on. */
import { readFile } from 'node:fs/promises'
import type { PartRef } from '../catalog/text-id.ts'
import { assertKnown, type Translations } from '../catalog/translations.ts'
import { type HotApi, hotRuntimeCode } from '../output/hot.ts'
import type { FormatSpecifier, KnownNames, ModuleId } from '../output/ids.ts'
import {
  generateLiveManifestModule,
  generateManifestModule,
  generatePrebuiltManifestModule,
  generateServedManifestModule,
  type LiveFolder,
} from '../output/manifest.ts'
import { generateLanguageModule, generateNamespaceModule, generatePendingModule } from '../output/messages.ts'
import type { PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import { generateTexts, type KeptKeys } from '../output/texts.ts'
import type { LoadedState } from './state.ts'

export interface GeneratedModule {
  readonly code: string
  /** Absolute paths of the files on which the code depends. */
  readonly files: readonly string[]
  readonly warnings: readonly string[]
  readonly kept?: readonly KeptKeys[]
}

/**
 * Checks the names in a module's id. Throws UNKNOWN_LANGUAGE, UNKNOWN_NAMESPACE or UNKNOWN_CUSTOMER with the nearest
 * known name.
 */
export function checkModule({ languages, namespaces, customers }: Translations, id: ModuleId): void {
  checkNames({ languages: languages.map(({ key }) => key), namespaces, customers }, id)
}

/** Like `checkModule`, for known names without texts. */
export function checkNames({ languages, namespaces, customers }: KnownNames, id: ModuleId): void {
  if (id.kind === 'manifest' || id.kind === 'runtime') return
  assertKnown('language', id.language, languages)
  if (id.kind === 'namespace') assertKnown('namespace', id.namespace, namespaces)
  if (id.customer !== undefined) assertKnown('customer', id.customer, customers)
}

/** The way in which modules get texts. By default, each module has its own, and the manifest names all modules. */
export interface ModuleHow {
  /** The expression for the addresses of prebuilt chunks, for the manifest: see `addressesExpression`. */
  readonly chunkAddresses?: string | undefined
  /** True if the dev server serves the modules beside the manifest: see `BundlerAdapter.devDelivery`. */
  readonly isServed?: boolean | undefined
  /** True if the texts are in the manifest's own chunk: see `TextPlace`. */
  readonly isInline?: boolean | undefined
  /** True if the output's browsers support only ES5. Modules then use ES5, except for imports and exports. */
  readonly isEs5?: boolean | undefined
  /** True if messages are inserted after the used keys are known: see `OutputTexts`. */
  readonly isPending?: boolean | undefined
  /** See `NamespaceModuleOptions`. */
  readonly isProvided?: boolean | undefined
  /** True if the manifest tracks the loaded chunks. */
  readonly isPerChunk?: boolean | undefined
  /** The import specifiers between modules. Default: the ids of the virtual modules. */
  readonly specifier?: FormatSpecifier | undefined
  /** Generated modules with `delivery: 'live'`: the files beside them. */
  readonly live?: { readonly chunks: PrebuiltChunks; readonly folder: LiveFolder } | undefined
}

export async function generateModule(
  state: LoadedState,
  id: ModuleId,
  hot: HotApi | undefined,
  how: ModuleHow = {},
): Promise<GeneratedModule> {
  const { translations, loaded, config } = state
  const plain = { files: [], warnings: [] }
  switch (id.kind) {
    case 'runtime':
      return {
        ...plain,
        code: `${await readFile(runtimeFile(config, how, hot), 'utf8')}${hot ? hotRuntimeCode(hot, config) : ''}`,
      }
    case 'manifest':
      // Prebuilt chunks are not modules, so the manifest depends on the files of all chunks.
      return how.chunkAddresses === undefined
        ? { ...plain, code: manifestOfModules(state, hot, how) }
        : {
            ...plain,
            code: generatePrebuiltManifestModule(translations, how.chunkAddresses, {
              isPerChunk: how.isPerChunk,
              live: config.delivery === 'live' ? config : undefined,
            }),
            files: loaded.files.list.map(({ path }) => path),
          }
    case 'language':
      return { ...plain, code: generateLanguageModule(translations, id, how.specifier) }
    case 'namespace': {
      const languages = translations.chain(id.language)
      const isUsed = (file: PartRef) => file.namespace === id.namespace && languages.includes(file.language)
      const files = loaded.files.list.filter(isUsed).map(({ path }) => path)
      if (how.isPending) return { ...plain, code: generatePendingModule(id, how), files }
      const { json, warnings, kept } = await generateTexts(state, id)
      const { specifier, isProvided } = how
      const code = generateNamespaceModule(id, json, { hot, edit: config.edit, specifier, isProvided })
      return { code, files, warnings, kept }
    }
  }
}

function manifestOfModules({ translations, config }: LoadedState, hot: HotApi | undefined, how: ModuleHow) {
  const { isServed, isInline, specifier, live } = how
  if (live && specifier)
    return generateLiveManifestModule(translations, live.chunks, live.folder, { live: config, specifier })
  const isLive = config.delivery === 'live'
  return hot && isServed
    ? generateServedManifestModule(translations, hot, isLive)
    : generateManifestModule(translations, { hot, isInline, isLive, specifier })
}

/** The package's own `./runtime`, which is next to this file in the built package. It has no imports. */
function runtimeFile({ delivery }: LoadedState['config'], { isEs5 = false }: ModuleHow, hot: HotApi | undefined): URL {
  const name = delivery === 'live' && !hot ? 'runtime-live' : 'runtime'
  return new URL(`./${name}${isEs5 ? '.es5' : ''}.js`, import.meta.url)
}
