import { render } from 'preact'
import './page.css'
import { App } from './app.tsx'
import { applyTheme } from './theme.tsx'

applyTheme()
render(<App />, document.getElementById('app') as HTMLElement)
