/** What a module of webpack or Rspack depends on. */
import { existsSync } from 'node:fs'
import type { Compiler } from 'webpack'
import type { Diagnostic } from '../../../errors.ts'
import type { Dependencies, HookContext } from '../../bundler-adapter.ts'

interface LoaderContext {
  readonly hot?: boolean
  cacheable(flag: boolean): void
  readonly _compiler: Compiler
  addDependency(file: string): void
  addMissingDependency(file: string): void
  addContextDependency(folder: string): void
}

export function loaderOf(context: HookContext): LoaderContext | undefined {
  return (context.getNativeBuildContext?.() as { loaderContext?: LoaderContext } | undefined)?.loaderContext
}

/** The files that hold the module's texts, and those that would if they existed. */
export function dependOnFiles(loader: LoaderContext, { id, state, files }: Dependencies): void {
  const { patterns } = state.loaded.files
  for (const file of files) loader.addDependency(file)
  if (id.kind === 'manifest' || id.kind === 'language') {
    for (const folder of patterns.bases) loader.addContextDependency(folder)
  } else if (id.kind === 'namespace') {
    for (const language of state.translations.chain(id.language)) {
      const path = patterns.pathOf({ language, namespace: id.namespace })
      if (path !== undefined && !files.includes(path) && !existsSync(path)) loader.addMissingDependency(path)
    }
  }
}

/** Errors in the files of a namespace, whose module holds their last good texts. */
export function diagnosticsOf({ id, state, files }: Dependencies): Diagnostic[] {
  if (id.kind !== 'namespace') return []
  const { patterns, diagnostics } = state.loaded.files
  return diagnostics.filter(({ place, severity }) => {
    if (severity !== 'error' || place?.file === undefined) return false
    const path = patterns.match(place.file)?.path
    return path !== undefined && files.includes(path)
  })
}
