/** Vite's own manifest (`build.manifest`), in which servers find the files that a page may fetch. */
import type { ResolvedConfig, Rollup } from 'vite'
import { MANIFEST_ID, NULL_SPELLING } from '../../../output/ids.ts'

const TRANSLATIONS = NULL_SPELLING.format({ kind: 'manifest' })

interface Entry {
  readonly file: string
  dynamicImports?: string[]
}

/**
 * Files of texts are what the chunks with `virtual:translations` import lazily. In Nuxt, every page would then prefetch
 * the texts of every language.
 */
export function linkTexts(bundle: Rollup.OutputBundle, { build, plugins }: ResolvedConfig): void {
  if (plugins.some(({ name }) => name.startsWith('nuxt:'))) return
  const asset = bundle[build.manifest === true ? '.vite/manifest.json' : String(build.manifest)]
  if (asset?.type !== 'asset') return
  const entries = JSON.parse(Buffer.from(asset.source).toString()) as Record<string, Entry>
  const texts = Object.keys(entries).filter((name) => name.startsWith(`${MANIFEST_ID}/`))
  if (texts.length === 0) return
  for (const entry of Object.values(entries)) {
    const chunk = bundle[entry.file]
    if (chunk?.type === 'chunk' && chunk.moduleIds.includes(TRANSLATIONS))
      entry.dynamicImports = [...(entry.dynamicImports ?? []), ...texts]
  }
  asset.source = JSON.stringify(entries, null, 2)
}
