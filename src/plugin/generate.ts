/** The code of each virtual module, and the files that it was made of. */
import { readFile } from 'node:fs/promises'
import { assertKnown, type Translations } from '../catalog/translations.ts'
import type { Logger } from '../logger.ts'
import { type HotApi, hotRuntimeCode } from '../output/hot.ts'
import type { FormatSpecifier, KnownNames, ModuleId } from '../output/ids.ts'
import { jsonParseLiteral } from '../output/literal.ts'
import {
  generateManifestModule,
  generatePrebuiltManifestModule,
  generateServedManifestModule,
} from '../output/manifest.ts'
import {
  generateLanguageModule,
  generateNamespaceModule,
  generatePendingModule,
  pendingIn,
} from '../output/messages.ts'
import { generateTexts, type KeptKeys } from '../output/texts.ts'
import type { LoadedState } from './state.ts'

export interface GeneratedModule {
  readonly code: string
  /** Absolute paths of the files whose change changes the module. */
  readonly files: readonly string[]
  readonly warnings: readonly string[]
  readonly kept?: readonly KeptKeys[]
}

/** Throws `UNKNOWN_LANGUAGE`, `UNKNOWN_NAMESPACE` or `UNKNOWN_CUSTOMER` with the nearest known name. */
export function checkModule({ languages, namespaces, customers }: Translations, id: ModuleId): void {
  checkNames({ languages: languages.map(({ key }) => key), namespaces, customers }, id)
}

/** Like `checkModule`. */
export function checkNames({ languages, namespaces, customers }: KnownNames, id: ModuleId): void {
  if (id.kind === 'manifest' || id.kind === 'runtime') return
  assertKnown('language', id.language, languages)
  if (id.kind === 'namespace') assertKnown('namespace', id.namespace, namespaces)
  if (id.customer !== undefined) assertKnown('customer', id.customer, customers)
}

/** How modules get their texts, unless each holds its own and the manifest names them all. */
export interface ModuleHow {
  /** The manifest's, of prebuilt chunks: see `addressesExpression`. */
  readonly chunkAddresses?: string | undefined
  /** The manifest's, of a dev server that has the modules beside it: see `BundlerAdapter.devDelivery`. */
  readonly isServed?: boolean | undefined
  /** The manifest has the texts in its own chunk: see `TextPlace`. */
  readonly isInline?: boolean | undefined
  /** The output's browsers know ES5: so does the code of every module, but for imports and exports. */
  readonly isEs5?: boolean | undefined
  /** Messages are filled in when it is known which of them are used: see `textsOfPending`. */
  readonly isPending?: boolean | undefined
  /** See `NamespaceModuleOptions`. */
  readonly isProvided?: boolean | undefined
  /** The manifest follows the chunks that are loaded. */
  readonly isPerChunk?: boolean | undefined
  /** How modules import each other. Default: by the virtual modules' ids. */
  readonly specifier?: FormatSpecifier | undefined
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
        code: `${await readFile(how.isEs5 ? ES5_RUNTIME_FILE : RUNTIME_FILE, 'utf8')}${hot ? hotRuntimeCode(hot, config) : ''}`,
      }
    case 'manifest':
      // Prebuilt chunks are no modules: the files that they are made of are the manifest's.
      return how.chunkAddresses === undefined
        ? { ...plain, code: manifestOfModules(translations, hot, how) }
        : {
            ...plain,
            code: generatePrebuiltManifestModule(translations, how.chunkAddresses, how),
            files: loaded.files.paths,
          }
    case 'language':
      return { ...plain, code: generateLanguageModule(translations, id, how.specifier) }
    case 'namespace': {
      const files = translations.chain(id.language).flatMap((language) => loaded.files.filesOf(language, id.namespace))
      if (how.isPending) return { ...plain, code: generatePendingModule(id, how), files }
      const { json, warnings, kept } = await generateTexts(state, id)
      const { specifier, isProvided } = how
      const code = generateNamespaceModule(id, json, { hot, edit: config.edit, specifier, isProvided })
      return { code, files, warnings, kept }
    }
  }
}

function manifestOfModules(translations: Translations, hot: HotApi | undefined, how: ModuleHow) {
  const { isServed, isInline, specifier } = how
  return hot && isServed
    ? generateServedManifestModule(translations, hot)
    : generateManifestModule(translations, { hot, isInline, specifier })
}

/** What takes the place of the messages that are pending in a chunk's code. */
export async function textsOfPending(code: string, state: LoadedState, logger: Logger) {
  return Promise.all(
    pendingIn(code).map(async ({ id, start, end }) => {
      const { json, warnings } = await generateTexts(state, id)
      for (const warning of warnings) logger.warn(warning)
      return { start, end, text: jsonParseLiteral(json) }
    }),
  )
}

/** Beside this file once it is built: the package's own `./runtime`, which has no imports. */
const RUNTIME_FILE = new URL('./runtime.js', import.meta.url)
const ES5_RUNTIME_FILE = new URL('./runtime.es5.js', import.meta.url)
