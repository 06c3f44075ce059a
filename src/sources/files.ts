/** Source `files`: the project's own JSON files, read with their places. */

import { join } from 'node:path'
import { type Catalog, createCatalog, type LazyTexts } from '../catalog/model.ts'
import { nameFilter, relevantLanguages } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import { createLazyReader } from '../files/lazy.ts'
import { listTranslationFiles } from '../files/list.ts'
import { createFilePatterns, displayPath, type FilePatterns, type TranslationFile } from '../files/patterns.ts'
import { createTextWriter } from '../files/text-writer.ts'
import { openFileMemo } from './file-memo.ts'
import { openTextCache } from './text-cache.ts'

export interface FilesResult {
  /** In the app's names. Files with an error give their last good texts, or none. */
  readonly catalog: Catalog
  readonly diagnostics: readonly Diagnostic[]
  readonly fileCount: number
  readonly patterns: FilePatterns
  /** Absolute paths of the files that hold texts of this part, customers' files included. */
  filesOf(language: string, namespace: string): readonly string[]
  /** Absolute paths of all of them. */
  readonly paths: readonly string[]
  /** In a build: what each file held when it was last whole, for the next load. */
  readonly lastGood?: ReadonlyMap<string, LazyTexts>
}

/** How many files are open at once. */
const BATCH = 64

export interface FilesOptions {
  /** A build's load before: the last good content of files that are broken now is kept. */
  readonly previous?: FilesResult | undefined
  /** Keeps texts as the modules that a page fetches. Gaps are dropped. */
  readonly forBuild?: boolean
}

/** Reads all files the patterns name. */
export async function loadFromFiles(config: ResolvedConfig, options: FilesOptions = {}): Promise<FilesResult> {
  if (options.forBuild) return loadForBuild(config, options.previous)
  // A build does not load it.
  const { createFileIndex } = await import('../files/file-index.ts')
  const index = createFileIndex(config)
  await index.scan()
  return filesOfIndex(index)
}

/** What the index's reader has seen. */
export function filesOfIndex(index: FileIndex): FilesResult {
  const files = index.files()
  return {
    catalog: index.catalog(),
    diagnostics: sortedByFile(index.findings()),
    patterns: index.patterns,
    ...listed(files),
  }
}

async function loadForBuild(config: ResolvedConfig, previous: FilesResult | undefined): Promise<FilesResult> {
  const { root, files, defaultNamespace, keySeparator } = config
  const patterns = createFilePatterns({ root, patterns: files, defaultNamespace })
  const cacheFile = (name: string) => join(root, '.localization', 'cache', name)
  const opening = openTextCache(cacheFile('texts.bin'), keySeparator)
  const memo = openFileMemo(cacheFile('files.json'), patterns)
  const [found, cache] = await Promise.all([listTranslationFiles(patterns, memo), opening])
  const isWanted = nameFilter(config.namespaces)
  const isRelevant = relevantLanguages(config)
  const wanted = found.files.filter(
    ({ language, namespace, customer }) =>
      isRelevant(language) && isWanted(namespace) && (customer === undefined || config.customers.includes(customer)),
  )
  const diagnostics: Diagnostic[] = [...found.diagnostics]
  const read = createLazyReader({
    writer: createTextWriter(keySeparator, cache.keyLists),
    cache,
    memo,
    fileCount: wanted.length,
    nameOf: (path) => displayPath(root, path),
  })
  const lastGood = new Map<string, LazyTexts>()
  const broken: string[] = []
  for (let at = 0; at < wanted.length; at += BATCH) {
    await Promise.all(
      wanted.slice(at, at + BATCH).map(async ({ path, namespace }) => {
        const content = await read(path, { keySeparator, namespace })
        if (!content) return
        diagnostics.push(...content.diagnostics)
        if (content.texts) lastGood.set(path, content.texts)
        else broken.push(path)
      }),
    )
  }
  keepLastGood(lastGood, broken, previous)
  // In the background, beside the bundler's work: nothing waits for it, and where it cannot be written the next build does the work again.
  for (const each of [cache, memo]) each.save().catch(() => {})
  return {
    catalog: createCatalog({ parts: wanted.map((file) => partOf(file, lastGood)) }),
    diagnostics: sortedByFile(diagnostics),
    patterns,
    ...listed(wanted),
    lastGood,
  }
}

function sortedByFile(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => ((a.place?.file ?? '') < (b.place?.file ?? '') ? -1 : 1))
}

function listed(files: readonly TranslationFile[]): Pick<FilesResult, 'fileCount' | 'filesOf' | 'paths'> {
  return { fileCount: files.length, filesOf: filesByPart(files), paths: files.map(({ path }) => path) }
}

function keepLastGood(
  lastGood: Map<string, LazyTexts>,
  broken: readonly string[],
  previous: FilesResult | undefined,
): void {
  for (const path of broken) {
    const texts = previous?.lastGood?.get(path)
    if (texts) lastGood.set(path, texts)
  }
}

/** A function of its own: what is given back must not hold on to the load before, or each one holds all before it. */
function filesByPart(files: readonly TranslationFile[]): FilesResult['filesOf'] {
  const byPart = new Map<string, string[]>()
  for (const { path, language, namespace } of files) {
    const id = JSON.stringify([language, namespace])
    const paths = byPart.get(id) ?? []
    paths.push(path)
    byPart.set(id, paths)
  }
  return (language, namespace) => byPart.get(JSON.stringify([language, namespace])) ?? []
}

function partOf({ language, namespace, customer, path }: TranslationFile, lastGood: ReadonlyMap<string, LazyTexts>) {
  const names = { language, namespace, customer }
  const lazy = lastGood.get(path)
  return lazy ? { ...names, lazy } : { ...names, messages: [] }
}
