import localization from 'unplugin-localization/vite'

export default defineNuxtConfig({
  compatibilityDate: '2025-07-01',
  telemetry: false,
  devtools: { enabled: false },
  vite: { plugins: [localization({ root: import.meta.dirname, defaultLanguage: 'en' })] },
})
