import { fileURLToPath } from 'node:url'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  cacheDir: '.tmp/vite',
  plugins: [localization()],
  build: { outDir: 'dist-vite', emptyOutDir: true, modulePreload: { polyfill: false } },
})
