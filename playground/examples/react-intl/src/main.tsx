import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createTexts } from './texts.ts'

const app = <App texts={await createTexts(document.documentElement.lang)} />
const root = document.getElementById('app') as HTMLElement
if (root.firstElementChild) hydrateRoot(root, app)
else createRoot(root).render(app)
