import './page.css'
import { render } from 'preact'
import { App, applyTheme } from './app.tsx'

applyTheme()
render(<App />, document.getElementById('app') as HTMLElement)
