import { defineConfig } from 'astro/config'
import localization from 'unplugin-localization/vite'

export default defineConfig({
  devToolbar: { enabled: false },
  vite: { plugins: [localization({ defaultLanguage: 'en' })] },
})
