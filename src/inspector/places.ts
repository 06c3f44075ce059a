/**
 * Places in the project's files: uses of a key, occurrences of a text that has no key yet, and opening a place in the
 * user's editor.
 */
import { readFile, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatPlace } from '../errors.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { escapeRegExp } from '../shared/escape.ts'
import { displayPath, isInside } from '../shared/paths.ts'
import { walkFiles } from '../shared/walk.ts'
import { findUsedKeys } from '../usage/sources/find.ts'
import { createPathFilter, listFiles } from '../usage/sources/list.ts'
import { readSourcesUsage, type SourcesUsage, type UsageCache } from '../usage/sources/read.ts'
import { type ActionAnswer, type KeyName, refused } from './protocol.ts'

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html|mdx?)$/
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'build', 'coverage', 'out'])
const MOST_FILES = 5_000
const MOST_BYTES = 1_000_000
const MOST_PLACES = 20
const FILES_AT_ONCE = 32
/** The number of characters shown before and after the text. */
const MOST_AROUND = 80

/** A place in the sources, such as `src/app.ts:3:5`, with the part of the line around the text. */
export type SourceLine = { readonly place: string; readonly line: string }

export interface KeyUses {
  /** The places that `prune` and `check --unused` find. `pattern` is, for example, `status.*`, a part of the key. */
  readonly certain: readonly { readonly place: string; readonly pattern: string | undefined }[]
  /** If `certain` is empty: up to 20 places that contain the key in quotes or as a property. */
  readonly possible: readonly string[]
  /** If there are no places at all: a call with an unknown key, which may use this one. */
  readonly call: { readonly code: string; readonly place: string } | undefined
}

export class KeyUseFinder {
  /** Keeps the results for unchanged files. */
  readonly #cache: UsageCache = new Map()
  #reading: Promise<SourcesUsage> | undefined

  /** `undefined` if the project has too many source files to search. */
  async find(
    project: { readonly config: ResolvedConfig; readonly catalog: Catalog },
    { namespace, key, base = key }: KeyName & { readonly base?: string | undefined },
    signal: AbortSignal,
  ): Promise<KeyUses | undefined> {
    const { config, catalog } = project
    const { files } = await listFiles(config.root, config.usage.files)
    if (files.length > MOST_FILES) return undefined
    const given = { namespaces: catalog.namespaces, names: true, cache: this.#cache }
    if (files.length > 0)
      this.#reading ??= readSourcesUsage(config, given, signal).finally(() => {
        this.#reading = undefined
      })
    const used = findUsedKeys(project, (await this.#reading)?.modules ?? [])
    const certain = new Map<string, KeyUses['certain'][number]>()
    for (const reason of used.placesOf(namespace, key)) {
      const place = formatPlace(reason)
      certain.set(place, { place, pattern: reason.kind === 'pattern' ? reason.name : undefined })
    }
    if (certain.size > 0) return { certain: [...certain.values()].slice(0, MOST_PLACES), possible: [], call: undefined }
    const possible = (await search(config, mentionOf(base))).map(({ place }) => place)
    const reason = possible.length === 0 ? used.reasonOf(namespace, key) : undefined
    const call = reason?.kind === 'call' ? { code: reason.name, place: formatPlace(reason) } : undefined
    return { certain: [], possible, call }
  }
}

/**
 * Matches the key in quotes (in i18next also after its namespace and a colon) or as a property: `t.title`,
 * `t?.menu?.open`.
 */
function mentionOf(key: string): RegExp {
  const quoted = `['"\`:]${escapeRegExp(key)}['"\`]`
  const names = key.split('.')
  if (!names.every((name) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name))) return new RegExp(quoted, 'g')
  // The flag `u` would reject some of the escapes. Any character above U+007F counts as a letter instead.
  const letter = '[\\w$\\u0080-\\uffff]'
  const property = `(?<=(?:${letter}|[)\\]])\\??)\\.${names.map(escapeRegExp).join('\\??\\.')}(?!${letter})`
  return new RegExp(`${quoted}|${property}`, 'g')
}

/** The places in the sources that contain the text, whatever the whitespace between its words. */
export async function findText(config: ResolvedConfig, text: string): Promise<readonly SourceLine[]> {
  const words = text.trim().split(/\s+/).map(escapeRegExp)
  return search(config, new RegExp(words.join('\\s+'), 'g'))
}

async function search(config: ResolvedConfig, wanted: RegExp): Promise<readonly SourceLine[]> {
  const files = await sourceFiles(config)
  if (files.length > MOST_FILES) return []
  const places: SourceLine[] = []
  for (let at = 0; at < files.length && places.length < MOST_PLACES; at += FILES_AT_ONCE) {
    const found = files.slice(at, at + FILES_AT_ONCE).map((path) => placesIn(path, wanted, config.root))
    places.push(...(await Promise.all(found)).flat())
  }
  return places.slice(0, MOST_PLACES)
}

async function sourceFiles(config: ResolvedConfig): Promise<readonly string[]> {
  const patterns = createFilePatterns(config)
  const sources: string[] = []
  for await (const name of walkFiles(config.root, SKIPPED_FOLDERS)) {
    const path = join(config.root, name)
    if (SOURCE.test(name) && !patterns.match(path)) sources.push(path)
    if (sources.length > MOST_FILES) break
  }
  return sources.sort()
}

async function placesIn(path: string, wanted: RegExp, root: string): Promise<SourceLine[]> {
  try {
    if ((await stat(path)).size > MOST_BYTES) return []
    const text = await readFile(path, 'utf8')
    const matches = [...text.matchAll(wanted)].slice(0, MOST_PLACES)
    return matches.map(({ index, 0: found }) => {
      const before = text.slice(0, index)
      const column = index - before.lastIndexOf('\n')
      const start = Math.max(index - column + 1, index - MOST_AROUND)
      const rest = text.slice(index + found.length).split('\n', 1)[0] ?? ''
      const line = text.slice(start, index) + found + rest.slice(0, MOST_AROUND)
      return { place: `${displayPath(root, path)}:${before.split('\n').length}:${column}`, line: line.trim() }
    })
  } catch {
    return []
  }
}

/** If an editor cannot be started, it fails within this time. */
const FAILS_WITHIN_MS = 500

/**
 * @param place relative to the root, such as `src/app.ts:3:5`
 * @param onLateFailure called if the editor fails after this function has returned
 */
export async function openInEditor(
  config: ResolvedConfig,
  place: string,
  onLateFailure: (message: string) => void,
): Promise<ActionAnswer> {
  const [, name = '', line = '1', column = '1'] = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/s.exec(place) ?? []
  const file = await realpath(resolve(config.root, name)).catch(() => undefined)
  if (file === undefined || !(await stat(file)).isFile()) return refused(`${name} does not exist yet`)
  if (!(await isOfProject(config, file))) return refused(`${name} was not opened, because it is outside the project`)
  const { default: launchEditor } = await import('launch-editor')
  const failing = new Promise<string>((fail) => {
    launchEditor(`${file}:${line}:${column}`, (_, reason) => {
      const message = reason ?? 'no running editor found. Set the environment variable EDITOR or LAUNCH_EDITOR'
      fail(`cannot open the editor: ${message}`)
    })
  })
  const failure = await Promise.race([failing, sleep(FAILS_WITHIN_MS, undefined, { ref: false })])
  if (failure !== undefined) return refused(failure)
  void failing.then(onLateFailure)
  return { done: 1, problems: [] }
}

/** True if the file is inside the root, or if the configuration names it: projects may share texts and sources. */
async function isOfProject(config: ResolvedConfig, file: string): Promise<boolean> {
  const { root, usage } = config
  return (
    isInside(await realpath(root), file) ||
    createFilePatterns(config).match(file) !== undefined ||
    createPathFilter(root, [...usage.files, ...usage.literalsIn]).globsOf(file).length > 0
  )
}
