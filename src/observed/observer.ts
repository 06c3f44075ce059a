/**
 * Runs in the page with the runtime, and observes which keys the page uses. Only development and builds that record
 * contain this code. It checks for Node's functions before it uses them.
 */
import type { Manifest, Messages, TranslationUpdate } from '../output/runtime/types.ts'

export interface ObserverSettings {
  readonly defaultNamespace: string
  /** What joins the names of nested messages to one key. */
  readonly keySeparator: string
  /** The folder that Node writes the keys into; left out: they are not recorded. */
  readonly folder?: string | undefined
  /** Keys that the last production build left out, by namespace. */
  readonly leftOut: { readonly [namespace: string]: readonly string[] }
}

/** `false`: no text has the key. */
type Line = readonly [namespace: string, key: string, isFound?: false]

export interface Observer extends Pick<ObserverSettings, 'keySeparator'> {
  /** The page reads a text or a value. `isCopied`: perhaps only because it copies all of them. */
  found(namespace: string, key: string, isCopied?: boolean): void
  /** The page reads a text that does not exist. */
  missed(namespace: string, key: string): void
  observeMessages<T extends Messages>(messages: T, namespace: string): T
  /** The messages behind those that `observeMessages` gives. */
  plainMessages<T extends object>(messages: T): T
  observeManifest<T extends Pick<Manifest, 'load' | 'onUpdate'>>(manifest: T): T
}

interface Page {
  /** A test's own function: receives the lines instead of the dev server. */
  __localizationRecorded?: (lines: string) => unknown
  process?: { readonly pid?: number; getBuiltinModule?(name: string): unknown }
}

interface Files {
  appendFileSync(path: string, text: string): void
  mkdirSync(path: string, options: { recursive: true }): void
}

/** By this name the glue finds the observer of the page. */
export const OBSERVER = Symbol.for('unplugin-localization/observer')

export function createObserver({ defaultNamespace, keySeparator, folder, leftOut }: ObserverSettings): Observer {
  const page = globalThis as Page
  const plain = Symbol('plain')
  const proxies = new WeakMap<object, object>()
  const manifests = new WeakSet<object>()
  const copied = new WeakSet<object>()
  const seen = new Set<string>()
  const unwarned = new Set(Object.entries(leftOut).flatMap(([name, keys]) => keys.map((key) => idOf(name, key))))
  const send = folder === undefined ? () => {} : createSender(page, folder)

  const note = (...line: Line) => {
    const id = idOf(...line)
    if (!seen.has(id)) send(id)
    seen.add(id)
  }
  const observer: Observer = {
    keySeparator,
    found(namespace, key, isCopied = false) {
      note(namespace, key)
      if (isCopied || !unwarned.delete(idOf(namespace, key))) return
      const what = `the page uses the key ${JSON.stringify(key)} of ${namespace}`
      const why = 'The last production build left it out, because nothing in the code names it'
      const hint = 'Add it to prune.keep, or record it: https://npmjs.com/package/unplugin-localization (docs/prune.md)'
      console.warn(`[unplugin-localization] ${what}. ${why}. ${hint}`)
    },
    missed: (namespace, key) => note(namespace, key, false),
    plainMessages: (messages) => (messages as Record<symbol, typeof messages | undefined>)[plain] ?? messages,
    observeMessages: (messages, namespace) => observe(messages, namespace, '') as typeof messages,
    observeManifest(manifest) {
      // A dev server replaces what is in the manifest, and keeps the object.
      if (manifests.has(manifest)) return manifest
      const { load, onUpdate } = manifest
      const observed = {
        ...manifest,
        load: async (language: string, namespace = defaultNamespace) =>
          observer.observeMessages(await load(language, namespace), namespace),
        onUpdate: (listener: (update: TranslationUpdate) => void) =>
          onUpdate((update) => {
            if (update.type !== 'messages') return listener(update)
            const { messages, namespace } = update
            listener({ ...update, messages: observer.observeMessages(messages, namespace) })
          }),
      }
      manifests.add(observed)
      return observed
    },
  }

  function observe(given: object, namespace: string, prefix: string): object {
    const target = observer.plainMessages(given)
    const known = proxies.get(target)
    if (known) return known
    const proxy = new Proxy(target, {
      get(messages, name) {
        if (name === plain) return messages
        const value: unknown = Reflect.get(messages, name)
        if (typeof name !== 'string' || !Object.hasOwn(messages, name)) return value
        if (isBranch(value)) return observe(value, namespace, prefix + name + keySeparator)
        observer.found(namespace, prefix + name, copied.has(messages))
        return value
      },
      ownKeys(messages) {
        copied.add(messages)
        return Reflect.ownKeys(messages)
      },
    })
    proxies.set(target, proxy)
    return proxy
  }

  ;(globalThis as Record<symbol, unknown>)[OBSERVER] = observer
  return observer
}

function idOf(...line: Line): string {
  return JSON.stringify(line)
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Writes lines into the folder: directly in Node, else through the test or the dev server. */
function createSender(page: Page, folder: string): (line: string) => void {
  const files = page.process?.getBuiltinModule?.('node:fs') as Files | undefined
  const path = `${folder}/${page.process?.pid ?? 0}-${Math.random().toString(36).slice(2)}.jsonl`
  const waiting: string[] = []
  let isReported = false
  const report = (error: unknown) => {
    if (!isReported) console.warn(`[unplugin-localization] the keys that the page uses are not recorded: ${error}`)
    isReported = true
  }
  const flush = () => {
    const lines = waiting.splice(0)
    try {
      const text = `${lines.join('\n')}\n`
      if (page.__localizationRecorded) page.__localizationRecorded(text)
      else if (files) {
        files.mkdirSync(folder, { recursive: true })
        files.appendFileSync(path, text)
      } else post(lines).catch(report)
    } catch (error) {
      report(error)
    }
  }
  return (line) => {
    if (waiting.length === 0) queueMicrotask(flush)
    waiting.push(line)
  }
}

/** Browsers keep a request alive that is no longer than this when its page closes. */
const MOST_ALIVE = 60_000

async function post(lines: readonly string[]): Promise<void> {
  const body = `[${lines.join(',')}]`
  const address = '/__localization/recorded'
  const headers = { 'content-type': 'application/json' }
  const keepalive = body.length < MOST_ALIVE
  const answer = await fetch(address, { method: 'POST', headers, body, keepalive })
  const hint = 'Without a dev server, the test must save the keys: see "Recorded use" in docs/testing.md'
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}. ${hint}`)
}
