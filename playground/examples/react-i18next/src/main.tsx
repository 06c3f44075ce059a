import { createRoot, hydrateRoot } from 'react-dom/client'
import { I18nextProvider } from 'react-i18next'
import { App } from './app.tsx'
import { createI18n } from './i18n.ts'

const i18n = await createI18n(document.documentElement.lang)
const app = (
  <I18nextProvider i18n={i18n}>
    <App />
  </I18nextProvider>
)
const root = document.getElementById('app') as HTMLElement
if (root.firstElementChild) hydrateRoot(root, app)
else createRoot(root).render(app)
