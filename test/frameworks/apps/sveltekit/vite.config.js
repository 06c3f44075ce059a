import { sveltekit } from '@sveltejs/kit/vite'
import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [sveltekit(), localization({ defaultLanguage: 'en' })] })
