// Writes the table of commands in docs/commands.md from the help of the built command. With `--check` it only says
// whether the table is current.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const PAGE = new URL('../docs/commands.md', import.meta.url)
const START = '<!-- commands:start -->'
const END = '<!-- commands:end -->'

/** The page that describes a command. */
const PAGES = {
  init: '#set-up-a-project',
  check: 'check.md',
  extract: 'extract.md',
  generate: 'generate.md',
  fingerprint: 'build-cache.md',
  'service tokens': 'hosting.md#tokens-and-api-keys',
  'service keys': 'hosting.md#tokens-and-api-keys',
  'service copy': 'hosting.md#copy-between-sqlite-and-postgresql',
  doctor: '#when-something-is-wrong',
  serve: 'local-service.md',
  mcp: 'agents.md',
}

const page = await readFile(PAGE, 'utf8')
const [before, rest] = page.split(START)
const after = rest?.split(END)[1]
if (after === undefined) throw new Error(`docs/commands.md has no ${START} and ${END}`)
const fresh = `${before}${START}\n${table()}\n${END}${after}`
if (fresh === page) process.stderr.write('docs/commands.md: the commands are current\n')
else if (process.argv.includes('--check')) {
  process.stderr.write('docs/commands.md: the commands are out of date: run node scripts/commands.mjs\n')
  process.exitCode = 1
} else {
  await writeFile(PAGE, fresh)
  process.stderr.write('docs/commands.md: the commands are refreshed\n')
}

function table() {
  const rows = commandsOf([]).flatMap((command) => (command.isGroup ? commandsOf([command.name]) : [command]))
  return ['| command | what it does |', '|---|---|', ...rows.map(rowOf)].join('\n')
}

/** The commands in the help of a group, or of all groups. `keys add|remove` is a group. */
function commandsOf(group) {
  const help = execFileSync(process.execPath, [CLI, ...group, '--help'], { encoding: 'utf8' })
  const lists = help.matchAll(/^(?!Options|Global|Usage|Example)\w.*:\n((?: {2}.+\n)*)/gm)
  const lines = Array.from(lists, ([, list]) => list).join('')
  const entries = lines.replace(/\n {4,}/g, ' ').matchAll(/^ {2}(\S+)(?: (\S.*?))?(?: {2,}| (?=[A-Z]))(.+)$/gm)
  return [...entries]
    .filter(([, name]) => name !== 'help')
    .map(([, name, rest = '', about]) => ({
      name: [...group, name].join(' '),
      usage: [...group, name, rest.includes('|') ? '' : rest].join(' ').trim(),
      isGroup: /^[a-z]/.test(rest),
      about,
    }))
}

function rowOf({ name, usage, about }) {
  const sentence = about.replace(/ \([^)]*\)/g, '').replace(/\.(?: .*)?$/, '')
  const link = PAGES[name]
  const more = link === undefined ? '' : `: [${link.startsWith('#') ? 'below' : link.replace(/#.*/, '')}](${link})`
  return `| \`${usage}\` | ${sentence[0].toLowerCase()}${sentence.slice(1)}${more} |`
}
