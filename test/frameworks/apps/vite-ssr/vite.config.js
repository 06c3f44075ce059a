import react from '@vitejs/plugin-react'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [react(), localization({ defaultLanguage: 'en' })] })
