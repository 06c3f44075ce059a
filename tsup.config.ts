import { rmSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { buildInspector } from './scripts/build-inspector.ts'
import { buildNotices } from './scripts/build-notices.ts'

// Not by the option `clean`: each of the two would remove what the other has made.
rmSync('dist', { recursive: true, force: true })

const shared: Options = {
  format: 'esm',
  target: 'node20',
  dts: true,
  splitting: true,
  treeshake: true,
}

const PAGE = ['runtime', 'i18next', 'vue-i18n', 'react-intl']

/** One entry per subpath of package.json's `exports`, and the command. */
export default defineConfig([
  {
    ...shared,
    entry: [
      'index',
      'vite',
      'rollup',
      'rolldown',
      'webpack',
      'rspack',
      'esbuild',
      'farm',
      'client',
      'service',
      'cli',
    ].map((name) => `src/${name}.ts`),
    // What is used of it, in one file: as a hundred files it takes longer to load than all else that a plugin needs at its start.
    noExternal: ['zod'],
    // Static files: no entry imports them.
    async onSuccess() {
      await buildInspector()
      await buildNotices()
    },
  },
  {
    // What goes into pages has nothing in common with the rest: the runtime is one file, which bundlers are given as text.
    ...shared,
    entry: PAGE.map((name) => `src/${name}.ts`),
    esbuildOptions(options) {
      options.chunkNames = 'page-[hash]'
    },
  },
])
