import { renderToString } from 'react-dom/server'
import { I18nextProvider } from 'react-i18next'
import { App } from './app.tsx'
import { createI18n } from './i18n.ts'

/** What goes into `#app`; the page's `lang` must be the same language. */
export async function render(language: string): Promise<string> {
  return renderToString(
    <I18nextProvider i18n={await createI18n(language)}>
      <App />
    </I18nextProvider>,
  )
}
