/** The code of each virtual module, and what it was made of. */
import { readFile } from 'node:fs/promises'
import { assertKnown, type Translations } from '../catalog/translations.ts'
import { formatPlace } from '../errors.ts'
import { type HotApi, hotMessagesCode, hotRuntimeCode } from '../output/hot.ts'
import { formatRequest, type ModuleId } from '../output/ids.ts'
import {
  generateManifestModule,
  generatePrebuiltManifestModule,
  generateServedManifestModule,
} from '../output/manifest.ts'
import { generateLanguageModule, generateNamespaceModule, generatePendingModule } from '../output/messages.ts'
import { compileWarnings, loadCompiler } from './compile.ts'
import type { LoadedState } from './state.ts'

type NamespaceId = Extract<ModuleId, { kind: 'namespace' }>

export interface GeneratedModule {
  readonly code: string
  /** Absolute paths of the files whose change changes the module. */
  readonly files: readonly string[]
  readonly warnings: readonly string[]
  readonly kept?: readonly KeptKeys[]
}

/** Throws `UNKNOWN_LANGUAGE`, `UNKNOWN_NAMESPACE` or `UNKNOWN_CUSTOMER` with the nearest known name. */
export function checkModule(translations: Translations, id: ModuleId): void {
  if (id.kind === 'manifest' || id.kind === 'runtime') return
  assertKnown(
    'language',
    id.language,
    translations.languages.map(({ key }) => key),
  )
  if (id.kind === 'namespace') assertKnown('namespace', id.namespace, translations.namespaces)
  if (id.customer !== undefined) assertKnown('customer', id.customer, translations.customers)
}

/** How modules get their texts, unless each holds its own and the manifest names them all. */
export interface ModuleHow {
  /** The manifest's, of texts that are files of their own: see `Host.chunkAddresses`. */
  readonly chunkAddresses?: string | undefined
  /** The manifest's, of a dev server that has them beside it: see `Host.servesAddresses`. */
  readonly isServed?: boolean | undefined
  /** The manifest has the texts in its own chunk: see `TextPlace`. */
  readonly isInline?: boolean | undefined
  /** Messages are filled in when it is known which of them are used: see `generateTexts`. */
  readonly isPending?: boolean | undefined
  /** The manifest follows the chunks that are loaded. */
  readonly isPerChunk?: boolean | undefined
}

export async function generateModule(
  state: LoadedState,
  id: ModuleId,
  hot: HotApi | undefined,
  { chunkAddresses, isServed = false, isInline = false, isPending = false, isPerChunk = false }: ModuleHow = {},
): Promise<GeneratedModule> {
  const { translations, loaded, config } = state
  switch (id.kind) {
    case 'runtime':
      return {
        code: `${await readFile(RUNTIME_FILE, 'utf8')}${hot ? hotRuntimeCode(hot, config) : ''}`,
        files: [],
        warnings: [],
      }
    case 'manifest':
      return {
        code:
          chunkAddresses !== undefined
            ? generatePrebuiltManifestModule(translations, chunkAddresses, { isPerChunk })
            : hot && isServed
              ? generateServedManifestModule(translations, hot)
              : generateManifestModule(translations, { hot, isInline }),
        // Prebuilt chunks are no modules: the manifest does not depend on their texts.
        files: chunkAddresses === undefined ? [] : loaded.files.paths,
        warnings: [],
      }
    case 'language':
      return { code: generateLanguageModule(translations, id), files: [], warnings: [] }
    case 'namespace': {
      const files = translations.chain(id.language).flatMap((language) => loaded.files.filesOf(language, id.namespace))
      if (isPending) return { code: generatePendingModule(id), files, warnings: [] }
      const { code, warnings, kept } = await generateTexts(state, id, hot)
      return { code, files, warnings, kept }
    }
  }
}

interface GeneratedTexts {
  readonly code: string
  readonly value: string
  readonly warnings: readonly string[]
  /** Keys that do not nest: told of all modules together. */
  readonly kept: readonly KeptKeys[]
}

/** The messages of one namespace: their module, and their expression by itself. */
export async function generateTexts(
  { translations, config }: Pick<LoadedState, 'translations' | 'config'>,
  id: NamespaceId,
  hot?: HotApi,
): Promise<GeneratedTexts> {
  const { shape, keySeparator, edit } = config
  const compiler = await loadCompiler(config, id.language)
  const encode = compiler?.encode
  const { code, value, kept } = generateNamespaceModule(translations, id, { shape, keySeparator, hot, edit, encode })
  const warnings = compileWarnings(translations, id, compiler?.problems)
  return { code, value, warnings, kept: kept.length === 0 ? [] : [{ id, kept }] }
}

/** What stands in a running page for a language or namespace that was resolved and is gone. */
export function generateGoneModule(id: ModuleId, hot: HotApi): string {
  return id.kind === 'namespace' ? hotMessagesCode(hot, id, '{}') : 'export default {}\n'
}

/** Beside this file once it is built: the package's own `./runtime`, which has no imports. */
const RUNTIME_FILE = new URL('./runtime.js', import.meta.url)

/** Texts that `shape: 'nested'` leaves whole. One line for all modules of a build. */
export function keptWarning(modules: readonly KeptKeys[]): string {
  const [first] = modules as readonly [KeptKeys, ...KeptKeys[]]
  const shown = first.kept.slice(0, EXAMPLES).map((key) => JSON.stringify(key))
  const others = modules.slice(1, EXAMPLES).map(({ id }) => formatPlace(id))
  const more = first.kept.length > shown.length ? ` and ${first.kept.length - shown.length} more` : ''
  const also =
    modules.length === 1
      ? ''
      : ` (${modules.length.toLocaleString('en')} modules have such keys, also ${others.join(' and ')}; localization check --verbose lists them)`
  return `${formatPlace(first.id)}: cannot nest ${shown.join(', ')}${more}${also}: a shorter key holds a text, or a part of the key is empty. They stay whole in ${formatRequest(first.id)}; shape: 'flat' has no such limit.`
}

export interface KeptKeys {
  readonly id: NamespaceId
  readonly kept: readonly string[]
}

const EXAMPLES = 3
