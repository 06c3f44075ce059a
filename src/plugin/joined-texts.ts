/** Texts that fallbacks fill: joined once, and kept for the builds to come. */
import { join } from 'node:path'
import type { LazyTexts, TextModule } from '../catalog/model.ts'
import { lazyModule } from '../catalog/text-module.ts'
import { contentHash } from '../shared/hash.ts'
import { openTextCache, type TextCache } from '../sources/text-cache.ts'

export interface JoinedTexts {
  /** The module of these layers; `make` is asked where no build has made it. */
  of(layers: readonly LazyTexts[], make: () => TextModule | undefined): Promise<TextModule | undefined>
  /** Keeps what was asked for. */
  save(): void
}

/** What is joined is joined no further. */
const NO_KEYS: readonly string[] = []

export function createJoinedTexts(root: string): JoinedTexts {
  let opened: Promise<TextCache> | undefined
  return {
    async of(layers, make) {
      // Only what was read for a build is held against its bytes.
      if (!layers.every(({ module }) => module !== undefined)) return make()
      opened ??= openTextCache(join(root, '.localization', 'cache', 'joined.bin'), '')
      const cache = await opened
      const id = contentHash(layers.map(({ hash }) => hash).join())
      const known = cache.get(id)?.module
      if (known) return known
      const made = make()
      if (made) cache.add(id, lazyModule(made, NO_KEYS, 0))
      return made
    },
    save() {
      // Beside the bundler's work: nothing waits for it.
      opened?.then((cache) => cache.save()).catch(() => {})
    },
  }
}
