/** What the package tells agents is true: the commands run, the links lead somewhere, the tools exist. */
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { runCli, startCli } from '../helpers/cli.ts'
import { codeBlocks } from '../helpers/markdown.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PAGES = ['llms.txt', 'skills/unplugin-localization/SKILL.md']
const read = (page: string) => readFile(join(repository, page), 'utf8')

test.each(PAGES)('the commands of %s run', async (page) => {
  const cwd = await tempFolder()
  await writeTree(cwd, {
    'package.json': { type: 'module' },
    'locales/en/common.json': { title: 'Title' },
    'locales/pl/common.json': { title: 'Tytuł' },
    'src/app.js': "import i18next from 'i18next'\ni18next.init({ defaultNS: 'common' })\ni18next.t('common:title')\n",
  })
  expect((await runCli(['types'], { cwd })).code).toBe(0)
  const lines = codeBlocks(page, await read(page)).flatMap(({ language, code }) =>
    language === 'sh' ? code.split('\n') : [],
  )
  const commands = lines.filter((line) => line.trim() !== '')
  expect(commands.length).toBeGreaterThan(2)
  for (const line of commands) {
    const [name, ...args] = line.split(' ')
    expect(name).toBe('localization')
    const { code, output } = await runCli(args, { cwd })
    expect([line, code, output]).toEqual([line, 0, output])
  }
})

test('each tool and command that the pages name exists, and each tool is on the page', async () => {
  const cwd = await tempFolder()
  await writeTree(cwd, { 'locales/en/common.json': { title: 'Title' } })
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`
  const { stdout } = await startCli(['mcp', '--write'], { cwd, input }).run
  const tools = (JSON.parse(stdout).result.tools as { name: string }[]).map(({ name }) => name)
  const rows = [...(await read('docs/agents.md')).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(tools)
  const skill = await read('skills/unplugin-localization/SKILL.md')
  const named = [...skill.matchAll(/`([a-z]+_[a-z]+)`/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !tools.includes(name ?? ''))).toEqual([])
  const help = (await runCli(['--help'], { cwd })).stdout
  const [, forbidden = ''] = /Do not run ([\s\S]*?), and do not/.exec(skill) ?? []
  const commands = [...forbidden.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  expect(commands.length).toBeGreaterThan(3)
  for (const name of commands) expect(help).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
})

test.each(PAGES)('the links of %s lead to files', async (page) => {
  for (const [, target = ''] of (await read(page)).matchAll(/\]\(([^)#]+)\)/g))
    await access(join(repository, dirname(page), target))
})
