import { hydrateRoot } from 'react-dom/client'
import { createApp } from './app.jsx'

hydrateRoot(document.getElementById('app'), await createApp(document.documentElement.lang))
