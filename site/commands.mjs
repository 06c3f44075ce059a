/** A page for each command: its row, its paragraph and its JSON fields in docs/commands.md, and its help. */

import { withoutLinks } from './markdown.mjs'

const TABLE_ROW = /^\| (.+?) \| (.+?) \|$/gm

/** @param help the help text of a command, by its names */
export async function commandPages(markdown, help) {
  const pages = []
  for (const names of await commandsOf(help)) pages.push(pageOf(names.join(' '), markdown, await help(...names)))
  return pages
}

/** All commands, those below another one with its name before. */
async function commandsOf(help, names = []) {
  const found = []
  for (const [name, isGroup] of listed(await help(...names))) {
    found.push([...names, name])
    if (isGroup) found.push(...(await commandsOf(help, [...names, name])))
  }
  return found
}

/** The names in the lists of commands. A group has the names below it beside its own: `keys add|remove`. */
function listed(text) {
  const lists = text.matchAll(/^(?!Options|Global|Usage|Example)\w.*:\n((?: {2}.+\n)*)/gm)
  const lines = Array.from(lists, ([, list]) => list).join('')
  return [...lines.matchAll(/^ {2}(\S+)(?: (\S+))?/gm)]
    .filter(([, name]) => name !== 'help')
    .map(([, name, next = '']) => [name, /^[a-z]/.test(next)])
}

/** The fields of a command below `## JSON output`; `service tokens list` has those of `service tokens`. */
function fieldsOf(name, section) {
  for (const [, names, fields] of section.matchAll(/^- ((?:`[a-z ]+`,? ?)+): ([\s\S]*?)(?=\n- |\n*(?![\s\S]))/gm)) {
    const listed = [...names.matchAll(/`([^`]+)`/g)].map(([, each]) => each)
    if (listed.some((each) => name === each || name.startsWith(`${each} `))) return fields.replace(/\n {2}/g, ' ')
  }
  return undefined
}

function pageOf(name, markdown, help) {
  const isNamed = (cell) => [...cell.matchAll(/`([^`]+)`/g)].some(([, code]) => code.replace(/ [<[].*/, '') === name)
  const about = [...markdown.matchAll(TABLE_ROW)].find(([, cell]) => isNamed(cell))?.[2] ?? ''
  const [, more = ''] = new RegExp(`^- \\*\\*\`${name}\`\\*\\* ([\\s\\S]*?)\\n(?=- |\\n)`, 'm').exec(markdown) ?? []
  const json = fieldsOf(name, markdown.slice(markdown.indexOf('## JSON output')))
  const [, purpose = ''] = /\n\n([\s\S]*?)\n\n/.exec(help) ?? []
  const text = [
    `# \`localization ${name}\``,
    purpose,
    ...(more === '' ? [] : [`This command ${more.replace(/\n {2}/g, '\n')}`]),
    `\`\`\`text\n${help.trimEnd()}\n\`\`\``,
    ...(json === undefined ? [] : ['## Fields of `--json`', json]),
    '[The command line](commands.md) describes exit codes, common options and a whole session.\n',
  ].join('\n\n')
  const words = withoutLinks(about)
  return {
    title: name,
    path: `commands/${name.replaceAll(' ', '-')}`,
    from: 'docs/commands.md',
    text,
    about: words === '' ? '' : `: ${words}`,
  }
}
