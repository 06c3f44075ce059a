import { reactRouter } from '@react-router/dev/vite'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [reactRouter(), localization({ defaultLanguage: 'en' })] })
