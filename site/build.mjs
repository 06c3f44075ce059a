/**
 * `npm run site`: builds the documentation into site/dist. `npm run build` comes first. `--dev` serves it instead.
 * `SITE_BASE=/docs/` builds it for that path.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { breakable } from './markdown.mjs'
import { REPOSITORY, readDocs } from './read-docs.mjs'

const PAGES = join(import.meta.dirname, '.pages')

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: import.meta.dirname, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(join(REPOSITORY, 'dist/index.d.ts'))) {
  process.stderr.write('the site shows the help of each command and the types: run npm run build first\n')
  process.exit(1)
}
if (!existsSync(join(import.meta.dirname, 'node_modules'))) run('npm', ['ci'])

const { pages, groups, options, errors, commands, api } = await readDocs()
await rm(PAGES, { recursive: true, force: true })
for (const [path, text] of pages) {
  const file = join(PAGES, `${path}.md`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
await cp(join(REPOSITORY, 'pictures'), join(PAGES, 'public/pictures'), { recursive: true })
const links = (entries) => entries.map(({ title, path }) => ({ text: breakable(title), link: `/${path}` }))
const sidebar = {
  '/': groups,
  '/options/': [{ text: 'Options', link: '/options/', items: links(options) }],
  '/errors/': [{ text: 'Error codes', link: '/errors/', items: links(errors) }],
  '/commands/': [{ text: 'Commands', link: '/commands/', items: links(commands) }],
  '/api/': [{ text: 'API', link: '/api/', items: links(api) }],
}
await writeFile(join(PAGES, 'sidebar.json'), JSON.stringify(sidebar))
const isDev = process.argv.includes('--dev')
run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', isDev ? 'dev' : 'build', '.'])
