import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import App from './app.vue'
import { createTexts, LOADER } from './i18n.ts'

/** What goes into `#app`; the page's `lang` must be the same language. */
export async function render(language: string): Promise<string> {
  const { i18n, loader } = await createTexts(language)
  return renderToString(createSSRApp(App).use(i18n).provide(LOADER, loader))
}
