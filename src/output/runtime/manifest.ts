/** The manifest for dev servers, and for builds whose texts are modules in the bundle. */
import { hasOwn, placeIn, replaceMessages, withCode } from './messages.ts'
import type { Language, Manifest, Messages, TranslationUpdate, UpdateListener } from './types.ts'

type Loader = () => Promise<{ readonly default: Messages }>

export interface ManifestInput {
  readonly languages: readonly Language[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  readonly defaultNamespace: string
  readonly loaders: { readonly [language: string]: { readonly [namespace: string]: Loader } }
}

interface HotManifest extends Manifest {
  readonly replace: (input: ManifestInput) => void
}

const listeners = new Set<UpdateListener>()

/** Creates the manifest. If a dev server replaces `previous`, updates and returns that object. */
export function createManifest(input: ManifestInput, previous?: Manifest): Manifest {
  if (previous) {
    ;(previous as HotManifest).replace(input)
    notify({ type: 'manifest' })
    return previous
  }
  let current = input
  const languages = [...input.languages]
  const namespaces = [...input.namespaces]
  const loaderOf = (language: string, namespace: string): Loader | undefined =>
    hasOwn(current.loaders, language) && hasOwn(current.loaders[language] as object, namespace)
      ? current.loaders[language]?.[namespace]
      : undefined

  const load = async (language: string, namespace: string = current.defaultNamespace): Promise<Messages> => {
    const loader = loaderOf(language, namespace)
    if (loader)
      return loader().then(
        (module) => module.default,
        (error) => Promise.reject(withCode(error)),
      )
    placeIn(
      languages.map(({ key }) => key),
      'language',
      language,
    )
    throw placeIn(namespaces, 'namespace', namespace)
  }

  const manifest: HotManifest = {
    languages,
    defaultLanguage: input.defaultLanguage,
    namespaces,
    load,
    loadLanguage: (language) => loadEach(namespaces, (namespace) => load(language, namespace)),
    has: (language, namespace) => loaderOf(language, namespace) !== undefined,
    onUpdate(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    replace(next) {
      current = next
      languages.splice(0, languages.length, ...next.languages)
      namespaces.splice(0, namespaces.length, ...next.namespaces)
    },
  }
  return manifest
}

/** Loads all given namespaces. In the result, each name is an own property, even `__proto__`. */
export async function loadEach(
  namespaces: readonly string[],
  load: (namespace: string) => Promise<Messages>,
): Promise<{ readonly [namespace: string]: Messages }> {
  return Object.fromEntries(await Promise.all(namespaces.map(async (name) => [name, await load(name)] as const)))
}

/**
 * Updates the page's object in place and notifies the listeners. If the page has no object yet, returns `next`.
 * Generated modules call this in development.
 */
export function updateMessages(
  previous: Messages | undefined,
  next: Messages,
  place: { readonly language: string; readonly namespace: string; readonly customer?: string },
): Messages {
  if (!previous) return next
  replaceMessages(previous, next)
  notify(Object.assign({ type: 'messages' as const, messages: previous }, place))
  return previous
}

/**
 * Notifies the listeners after the calling module has finished, because a listener that imports the module again must
 * see the new state.
 */
function notify(update: TranslationUpdate): void {
  queueMicrotask(() => {
    for (const listener of [...listeners]) listener(update)
  })
}
