import { defineConfig } from 'unplugin-localization'

/**
 * Shared by every bundler of the playground and by the command line. With `LOCALIZATION_API_KEY` and
 * `LOCALIZATION_BASE_URL`
 * in the environment (`npm start` sets both) the texts come from the service; without them from the files alone.
 */
export default defineConfig({
  files: 'locales/{language}/{namespace}.json',
  defaultLanguage: 'en',
})
