/** The API reference: a page for each entry of the package, from the built declarations. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createJiti } from 'jiti'

const REPOSITORY = resolve(import.meta.dirname, '..')
const { declarationText, documentationOf, readPublicApi } = await createJiti(import.meta.url).import(
  '../scripts/public-api.ts',
)

const pathOf = ({ name }) => `api/${name === 'index' ? 'unplugin-localization' : name}`

export async function apiPages() {
  const entries = readPublicApi()
  // Where a type is explained: in its own entry, else in the first that has it.
  const places = new Map()
  for (const group of ['exported', 'inner'])
    for (const entry of entries.filter(({ isBundler }) => !isBundler))
      for (const { declarations, name } of entry[group])
        if (!places.has(declarations[0])) places.set(declarations[0], `/${pathOf(entry)}#${name}`)
  return Promise.all(entries.map((entry) => pageOf(entry, places)))
}

async function pageOf(entry, places) {
  const { specifier, exported, inner } = entry
  const intro = await introOf(entry)
  const own = new Map([...exported, ...inner].map(({ name, declarations }) => [declarations[0], `#${name}`]))
  const known = new Map([...new Map([...places, ...own])].map(([node, place]) => [declaredName(node), place]))
  const section = ({ name, declarations }) => sectionOf(name, declarations, known)
  const isRepeated = ({ name, declarations: [first] }) =>
    name === 'default' && exported.some((other) => other.name !== name && other.declarations[0] === first)
  const text = [
    '---\npageClass: api-page\n---',
    `# \`${specifier}\``,
    intro,
    ...exported.filter((each) => !isRepeated(each)).map(section),
    ...(inner.length === 0
      ? []
      : ['## Types named above', 'No entry exports them.', ...inner.map((each) => section(each).replace(/^#/, '##'))]),
    '',
  ]
  const [first = ''] = intro.replace(/\s+/g, ' ').split(/(?<=\.) /)
  return { title: specifier, path: pathOf(entry), text: text.join('\n\n'), about: `: ${first}` }
}

/** The comment at the top of the entry's source. */
async function introOf({ name }) {
  const file = ['virtual', 'virtual-strict'].includes(name) ? `${name}.d.ts` : `${name}.ts`
  const source = await readFile(join(REPOSITORY, 'src', file), 'utf8')
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? []
  return comment
    .replace(/^ *\* ?/gm, '')
    .trim()
    .replace(/^`[^`]+`: (.)/, (_all, letter) => letter.toUpperCase())
}

function sectionOf(name, declarations, known) {
  const code = declarations.map(declarationText).join('\n')
  const docs = [...new Set(declarations.map(documentationOf))].filter((text) => text !== '')
  const named = new Set(code.replace(/\/\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w+/g))
  const links = [...named].filter((each) => known.has(each) && each !== name).sort()
  const own = name === 'default' ? declaredName(declarations[0]) : name
  return [
    `## \`${own}\` {#${own}}`,
    ...(name === own ? [] : ['The default export.']),
    ...docs,
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(links.length === 0 ? [] : [`See ${links.map((each) => `[\`${each}\`](${known.get(each)})`).join(', ')}.`]),
  ].join('\n\n')
}

const declaredName = (node) => /\b(?:class|const|function|interface|type) (\w+)/.exec(declarationText(node))?.[1]
