import vue from '@vitejs/plugin-vue'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  cacheDir: '.tmp/vite',
  publicDir: '../public', // the examples share one style sheet
  plugins: [vue(), localization({ defaultLanguage: 'en' })],
})
