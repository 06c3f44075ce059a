import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }

const entries = Object.entries(manifest.exports).flatMap(([, target]) =>
  typeof target === 'object' && 'default' in target ? [target.default] : [],
)
const sources = (files: readonly string[]) => files.map((file) => file.replace(/^.*[/](.*)[.]js$/, 'src/$1.ts'))

/** The types of every entry: `rolldown.config.ts` makes their code, and the CommonJS types of the bundlers' entries. */
export default defineConfig([
  { entry: sources(entries), format: 'esm', dts: { only: true } },
  { entry: sources(['./index.js', './client.js', './service.js']), format: 'cjs', dts: { only: true } },
])
