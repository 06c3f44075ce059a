import { defineConfig } from 'tsup'
import { buildInspector } from './scripts/build-inspector.ts'

/** One entry per subpath of package.json's `exports`, and the command. */
export default defineConfig({
  entry: [
    'src/index.ts',
    'src/vite.ts',
    'src/rollup.ts',
    'src/rolldown.ts',
    'src/webpack.ts',
    'src/rspack.ts',
    'src/esbuild.ts',
    'src/farm.ts',
    'src/client.ts',
    'src/service.ts',
    'src/runtime.ts',
    'src/i18next.ts',
    'src/vue-i18n.ts',
    'src/react-intl.ts',
    'src/cli.ts',
  ],
  format: 'esm',
  target: 'node20',
  dts: true,
  splitting: true,
  clean: true,
  treeshake: true,
  // After `clean`. Static files: no entry imports them.
  onSuccess: () => buildInspector(),
})
