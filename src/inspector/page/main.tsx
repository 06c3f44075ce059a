import { render } from 'preact'
import './page.css'
import { needsToken } from './api.ts'
import { App } from './app.tsx'
import { startListening } from './live.ts'
import { applyTheme } from './theme.tsx'

applyTheme()
if (!needsToken()) startListening()
render(<App />, document.getElementById('app') as HTMLElement)
