import { renderToString } from 'react-dom/server'
import { App } from './app.tsx'
import { createTexts } from './texts.ts'

/** What goes into `#app`; the page's `lang` must be the same language. */
export async function render(language: string): Promise<string> {
  return renderToString(<App texts={await createTexts(language)} />)
}
