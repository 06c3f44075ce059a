/** The pages of the site, made from README.md, docs/, the help of each command and the built declarations. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { promisify } from 'node:util'
import { apiPages } from './api-pages.mjs'
import { commandPages } from './commands.mjs'
import { errorPages, optionPages } from './entries.mjs'
import { breakable, cutAtColon, linksOf, mapLinks, slugify } from './markdown.mjs'

export const REPOSITORY = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

/** Pages of docs/ whose sections are pages of their own: the page becomes their index. */
const SPLIT = { 'docs/options.md': 'options', 'docs/commands.md': 'commands' }

/** @returns the pages by their path in the site, without `.md`, and the groups of docs/README.md. */
export async function readDocs() {
  const sources = new Map()
  const names = (await readdir(join(REPOSITORY, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'))
  for (const path of ['README.md', ...names.map((name) => `docs/${name.replaceAll('\\', '/')}`)].sort())
    sources.set(path, (await readFile(join(REPOSITORY, path), 'utf8')).replace(/^<!-- .* -->\n/gm, ''))

  const options = optionPages(sources.get('docs/options.md'))
  const errors = errorPages(sources.get('docs/troubleshooting.md'))
  const commands = await commandPages(sources.get('docs/commands.md'), (...args) => help(args))
  const entries = [...options, ...errors, ...commands]
  const bySlug = new Map(options.map(({ title, path }) => [slugify(title), `/${path}`]))
  const places = new Map([...sources.keys()].map((path) => [path, placeOf(path, sources)]))

  /** Where a link of a page in the repository leads to in the site. */
  const rewrite = (from) => (target) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return target
    const [path, anchor] = target.split('#')
    const to = path === '' ? from : posix.join(posix.dirname(from), path)
    if (to === 'docs' || to === 'docs/') return '/contents'
    if (to === 'docs/options.md' && bySlug.has(anchor)) return bySlug.get(anchor)
    if (to.startsWith('pictures/')) return `/${to}`
    const place = places.get(to)
    if (place === undefined) throw new Error(`${from}: ${target} leads to no page of the site`)
    return `/${place.replace(/(^|\/)index$/, '$1')}${anchor === undefined ? '' : `#${anchor}`}`
  }

  const pages = new Map()
  for (const [path, text] of sources) pages.set(places.get(path), mapLinks(text, rewrite(path)))
  for (const { path, text, from } of entries)
    pages.set(path, withMentions(mapLinks(text, rewrite(from)), from, sources, places))
  const api = await apiPages()
  for (const { path, text } of api) pages.set(path, text)
  pages.set('api/index', `# API\n\nThe entries of the package, with all their types.\n\n${list(api)}`)
  pages.set('options/index', `${intro(pages.get('options/index'))}\n${optionTable(options)}`)
  pages.set('errors/index', `# Error codes\n\n${list(errors)}`)
  pages.set('commands/index', `${pages.get('commands/index')}\n## Every command\n\n${list(commands)}`)
  pages.set('index', homePage(pages.get('index')))
  return {
    pages,
    groups: groupsOf(sources.get('docs/README.md'), rewrite('docs/README.md')),
    options,
    errors,
    commands,
    api,
  }
}

async function help(args) {
  const { stdout } = await run(process.execPath, [join(REPOSITORY, 'dist/cli.js'), ...args, '--help'], {
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '80' },
  })
  return stdout
}

function placeOf(path, sources) {
  if (path === 'README.md') return 'index'
  if (path === 'docs/README.md') return 'contents'
  if (path in SPLIT) return `${SPLIT[path]}/index`
  const name = path.slice('docs/'.length, -'.md'.length)
  const isFolder = [...sources.keys()].some((other) => other.startsWith(`docs/${name}/`))
  return isFolder ? `${name}/index` : name
}

const intro = (text) => text.slice(0, text.indexOf('\n## '))
const list = (entries) => entries.map(({ title, path, about }) => `- [\`${title}\`](/${path})${about}`).join('\n')

const optionTable = (options) =>
  [
    '| option | meaning, type and default |',
    '|---|---|',
    ...options.map(
      ({ title, path, type, about }) =>
        `| [<code>${breakable(title)}</code>](/${path}) | ${about}<br>${type.replaceAll(' | ', ' \\| ')} |`,
    ),
  ].join('\n')

/** Pages that name options without a word about them. */
const NO_HELP = ['docs/architecture.md', 'docs/figures.md', 'docs/compatibility.md']

/** The pages that name the entry, as links below its text. */
function withMentions(text, from, sources, places) {
  const [, name = ''] = /^# `(?:localization )?([^`]+)`/.exec(text) ?? []
  const isNamed = (page) => page.includes(`\`${name}\``) || page.includes(`\`localization ${name}\``)
  const found = [...sources].filter(
    ([path, page]) => path.startsWith('docs/') && path !== from && !NO_HELP.includes(path) && isNamed(page),
  )
  const links = found.map(([path, page]) => `[${titleOf(page)}](/${places.get(path).replace(/index$/, '')})`)
  return links.length === 0 ? text : `${text}\n## See also\n\n${links.map((link) => `- ${link}`).join('\n')}\n`
}

const titleOf = (page) => /^# (.+)$/m.exec(page)?.[1] ?? ''

/** README.md without the sidebar. The picture follows the switch of the site, not the system. */
function homePage(text) {
  const [, title, tagline, rest] = /^(# .+)\n\n([\s\S]+?)\n\n([\s\S]*)$/.exec(text)
  const settings = { pageClass: 'home-page', sidebar: false, aside: false, prev: false, next: false }
  const body = rest.replace(
    /<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g,
    (_all, dark, light, rest) =>
      `<img class="light-only" src="${light}"${rest}>\n<img class="dark-only" src="${dark}"${rest}>`,
  )
  const actions = '[Start](/start) [Documentation](/contents) [Options](/options/)'
  const head = `${title}\n\n<p class="tagline">${tagline.trim()}</p>\n\n<div class="actions">\n\n${actions}\n\n</div>`
  return `---\n${JSON.stringify(settings)}\n---\n\n${head}\n\n${body}`
}

/** The sidebar: the headings and links of docs/README.md, each link with the words before its colon. */
function groupsOf(markdown, rewrite) {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: linksOf(section).map(([text, target]) => ({ text: cutAtColon(text), link: rewrite(target) })),
    }))
}
