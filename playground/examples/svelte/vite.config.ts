import { svelte } from '@sveltejs/vite-plugin-svelte'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  cacheDir: '.tmp/vite',
  publicDir: '../public', // the examples share one style sheet
  plugins: [svelte(), localization({ defaultLanguage: 'en' })],
})
