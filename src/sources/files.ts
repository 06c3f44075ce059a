/** Source `files`: the project's own JSON files, read with their places. */
import { type Catalog, createCatalog, type Messages } from '../catalog/model.ts'
import { nameFilter, relevantLanguages } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { listTranslationFiles } from '../files/list.ts'
import { createFilePatterns, displayPath, type FilePatterns, type TranslationFile } from '../files/patterns.ts'
import { readTranslationFile } from '../files/read.ts'

export interface FilesResult {
  /** In the app's names. Files with an error give the texts of `lastGood`, or none. */
  readonly catalog: Catalog
  readonly diagnostics: readonly Diagnostic[]
  readonly fileCount: number
  readonly patterns: FilePatterns
  /** Absolute paths of the files that hold texts of this part, customers' files included. */
  filesOf(language: string, namespace: string): readonly string[]
  /** Absolute paths of all of them. */
  readonly paths: readonly string[]
  /** What each file held when it was last whole, for the next load. */
  readonly lastGood: ReadonlyMap<string, Messages>
}

/** How many files are open at once. */
const BATCH = 64

/** Reads all files the patterns name. `previous` keeps the last good content of files that are broken now. */
export async function loadFromFiles(config: ResolvedConfig, previous?: FilesResult): Promise<FilesResult> {
  const { root, files, defaultNamespace, keySeparator } = config
  const patterns = createFilePatterns({ root, patterns: files, defaultNamespace })
  const listed = await listTranslationFiles(patterns)
  const isWanted = nameFilter(config.namespaces)
  const isRelevant = relevantLanguages(config)
  const wanted = listed.files.filter(
    ({ language, namespace, customer }) =>
      isRelevant(language) && isWanted(namespace) && (customer === undefined || config.customers.includes(customer)),
  )
  const diagnostics: Diagnostic[] = [...listed.diagnostics]
  const lastGood = new Map<string, Messages>()
  for (let at = 0; at < wanted.length; at += BATCH) {
    await Promise.all(
      wanted.slice(at, at + BATCH).map(async ({ path }) => {
        const content = await readTranslationFile(path, { keySeparator, file: displayPath(root, path) })
        if (!content) return
        diagnostics.push(...content.diagnostics)
        const texts = content.ok ? content.entries : previous?.lastGood.get(path)
        if (texts) lastGood.set(path, texts)
      }),
    )
  }
  const byPart = new Map<string, string[]>()
  for (const { path, language, namespace } of wanted) {
    const id = JSON.stringify([language, namespace])
    byPart.set(id, [...(byPart.get(id) ?? []), path])
  }
  return {
    catalog: createCatalog({ parts: wanted.map((file) => partOf(file, lastGood)) }),
    diagnostics: diagnostics.sort((a, b) => ((a.place?.file ?? '') < (b.place?.file ?? '') ? -1 : 1)),
    fileCount: wanted.length,
    patterns,
    filesOf: (language, namespace) => byPart.get(JSON.stringify([language, namespace])) ?? [],
    paths: wanted.map(({ path }) => path),
    lastGood,
  }
}

function partOf({ language, namespace, customer, path }: TranslationFile, lastGood: ReadonlyMap<string, Messages>) {
  return { language, namespace, customer, messages: lastGood.get(path) ?? [] }
}
