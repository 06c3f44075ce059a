import { readdirSync } from 'node:fs'
import { defineConfig } from 'tsup'

/** The types of every entry: `rolldown.config.ts` makes their code. */
export default defineConfig({
  entry: readdirSync('src')
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => `src/${name}`),
  format: 'esm',
  dts: { only: true },
})
