/** The overview page: static, no library, no address but its own. It builds every element by hand, so that names are never markup. */
import { createHash } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; --bg: #f6f7f9; --card: #fff; --line: #e3e6ea; --text: #16191d; --soft: #5c6570; --bar: #2f7d5b; --track: #e6eae8; --warn: #9a5b00 }
@media (prefers-color-scheme: dark) { :root { --bg: #121417; --card: #1b1e23; --line: #2c3138; --text: #eceff3; --soft: #9aa4b0; --bar: #4fb286; --track: #2a2f35; --warn: #e0a04a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1.25rem }
header { display: flex; align-items: baseline; gap: 1rem; flex-wrap: wrap; margin-bottom: 1.5rem }
h1 { font-size: 1.35rem; margin: 0 } h2 { font-size: 1.1rem; margin: 0 }
h3 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.25rem 0 .5rem }
a { color: inherit } .soft { color: var(--soft) } .warn { color: var(--warn) }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 1.5rem; margin-bottom: 1.25rem }
.head { display: flex; justify-content: space-between; gap: 1rem; flex-wrap: wrap }
.row { display: grid; grid-template-columns: minmax(9rem, 1fr) minmax(6rem, 3fr) 8.5rem; gap: 1rem; align-items: center; padding: .2rem 0 }
.row > :last-child { text-align: right; font-variant-numeric: tabular-nums }
@media (max-width: 34rem) { .row { grid-template-columns: 1fr auto; gap: .1rem 1rem; padding: .35rem 0 } .row > .track { grid-column: 1 / -1; grid-row: 2 } }
.track { height: 8px; border-radius: 4px; background: var(--track); overflow: hidden }
.track > div { height: 100%; background: var(--bar); border-radius: 4px }
.flow { display: flex; flex-wrap: wrap; gap: .5rem }
.chip { border: 1px solid var(--line); border-radius: 8px; padding: .35rem .7rem }
code { font: .9em ui-monospace, monospace }
form { display: flex; gap: .5rem; flex-wrap: wrap } input, button { font: inherit; padding: .4rem .7rem; border-radius: 8px; border: 1px solid var(--line); background: var(--card); color: inherit } input { flex: 1; min-width: 14rem }
`

const SCRIPT = `
const root = document.getElementById('projects')
const element = (name, className, ...children) => {
  const node = document.createElement(name)
  if (className) node.className = className
  node.append(...children)
  return node
}
const number = (value) => value.toLocaleString('en')
const count = (value, noun) => number(value) + ' ' + noun + (value === 1 ? '' : 's')
let token
const show = ({ projects }) => {
  if (projects.length === 0) return [element('section', '', 'No project yet: ', element('code', '', 'POST /api/v2/projects'), ' makes one.')]
  return projects.map((project) => {
    const counts = [count(project.keys, 'key'), count(project.namespaces, 'namespace')]
    if (project.customers.length) counts.push('customers ' + project.customers.join(', '))
    const changes = project.unpublishedChanges
    const languages = project.languages.map((language) => {
      const share = project.keys === 0 ? 0 : language.translated / project.keys
      const fill = element('div')
      fill.style.width = (share * 100).toFixed(1) + '%'
      return element('div', 'row',
        element('div', '', language.name + ' ', element('code', 'soft', language.key), language.isDefault ? element('span', 'soft', ' default') : ''),
        element('div', 'track', fill),
        element('div', '', Math.floor(share * 100) + '% ', element('span', 'soft', number(language.translated))))
    })
    const environments = project.environments.map((environment) => element('div', 'chip',
      element('code', '', environment.key), ' ',
      element('span', 'soft', environment.publishedAt ? new Date(environment.publishedAt).toLocaleString() + ', ' + count(environment.texts, 'text') : 'not published')))
    return element('section', '',
      element('div', 'head', element('h2', '', project.name),
        element('div', 'soft', counts.join(' · '))),
      element('h3', '', 'Languages'), ...languages,
      element('h3', '', 'Environments'), element('div', 'flow', ...environments),
      changes > 0 ? element('p', 'warn', count(changes, 'unpublished change')) : '')
  })
}
const ask = () => {
  const input = element('input')
  input.type = 'password'
  input.placeholder = 'personal token'
  input.setAttribute('aria-label', 'personal token')
  const form = element('form', '', input, element('button', '', 'Show'))
  form.addEventListener('submit', (event) => { event.preventDefault(); token = input.value; load() })
  return element('section', '', element('p', '', 'The overview is shown to whoever has the personal token, which the service printed when it started.'), form)
}
const load = async () => {
  try {
    const response = await fetch('/overview', token ? { headers: { authorization: token } } : {})
    if (response.status === 403) { if (!root.querySelector('form') || token) root.replaceChildren(ask()); return }
    root.replaceChildren(...show(await response.json()))
  } catch { root.replaceChildren(element('section', 'warn', 'The service does not answer.')) }
}
load()
setInterval(() => { if (!document.hidden && !root.querySelector('form')) load() }, 3000)
`

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only this style and this script, and nothing from elsewhere. */
export const PAGE_POLICY = `default-src 'none'; connect-src 'self'; script-src ${digest(SCRIPT)}; style-src ${digest(STYLE)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** `hasTexts`: there are pages for the texts as well. */
export const overviewPage = (hasTexts: boolean) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Localization service</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header><h1>Localization service</h1><span class="soft">${hasTexts ? '<a href="/__localization/">texts</a> · ' : ''}<a href="/openapi.json">openapi.json</a> · <a href="/health">health</a></span></header>
<div id="projects"></div>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`
