import react from '@vitejs/plugin-react'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  cacheDir: '.tmp/vite',
  publicDir: '../public', // the examples share one style sheet
  plugins: [react(), localization({ defaultLanguage: 'en' })],
})
