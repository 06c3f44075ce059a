import { languages } from 'virtual:translations'
import { renderToString } from 'react-dom/server'
import { createApp } from './app.jsx'

/** The page's HTML; `undefined` for an address that names no language. */
export async function render(address, template) {
  const language = languages.find(({ key }) => address === `/${key}`)?.key
  if (language === undefined) return undefined
  const html = renderToString(await createApp(language))
  return template.replace('lang="en"', `lang="${language}"`).replace('<!--app-->', () => html)
}
