import { tanstackStart } from '@tanstack/react-start/plugin/vite'
import react from '@vitejs/plugin-react'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [tanstackStart(), react(), localization({ defaultLanguage: 'en' })] })
