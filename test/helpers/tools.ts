/** Tools that take no plugins: the lines of `docs/tools.md`, and projects in which the tools run as users run them. */
import { readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { repository } from './bundlers.ts'
import { environment } from './frameworks.ts'
import { codeBlocks, tableRows } from './markdown.ts'
import { bunBinary, denoBinary } from './package-managers.ts'
import { type RunningProcess, startProcess } from './processes.ts'
import { nodeBinary, npmInstall, packTarball } from './tarball.ts'
import { tempFolder, writeTree } from './temp.ts'

const PAGE = await readFile(join(repository, 'docs/tools.md'), 'utf8')
const BLOCKS = codeBlocks('docs/tools.md', PAGE)

/** The code of the page's block with this file name. */
export function blockOf(name: string): string {
  const block = BLOCKS.find((each) => each.name === name)
  if (!block) throw new Error(`docs/tools.md has no ${name}`)
  return block.code
}

/** A row of the page's table, with what the page says above it. */
export interface ToolLines {
  readonly name: string
  /** The members of package.json that the tool needs. */
  readonly files: Readonly<Record<string, unknown>>
  /** The same members, as `localization generate` prints them. */
  readonly printed: readonly string[]
  /** A member of its `scripts`: name and command. */
  readonly script: readonly [name: string, command: string]
}

const IMPORTS = JSON.parse(blockOf('package.json')) as Record<string, unknown>
/** As `localization generate` prints it. */
const PRINTED = JSON.stringify(IMPORTS, undefined, 1).replace(/\n */g, ' ').slice(2, -2)
const [, PARCEL = ''] = /Parcel also needs `(.+)`/.exec(PAGE) ?? []

export const TOOL_LINES: readonly ToolLines[] = tableRows('docs/tools.md', PAGE, '| tool | script').map(
  ([cell = '', script = '']) => {
    const [name, line] = [cell, script].map((text) => text.replace(/^`(.*)`$/, '$1')) as [string, string]
    const scripts = Object.entries(JSON.parse(`{${line}}`) as Record<string, string>)
    if (scripts.length !== 1 || !scripts[0]) throw new Error(`docs/tools.md: ${script} is not one script`)
    const more = name === 'Parcel' ? [PARCEL] : []
    const files = { ...IMPORTS, ...(JSON.parse(`{${more}}`) as object) }
    return { name, files, printed: [PRINTED, ...more], script: scripts[0] }
  },
)

/** A tool's messages if the imports are missing, and if the files are missing; `…` stands for anything. */
export const TOOL_ERRORS: ReadonlyMap<string, readonly RegExp[]> = new Map(
  Object.entries({
    Node: ['ERR_PACKAGE_IMPORT_NOT_DEFINED', "Cannot find module '…/.localization/modules/…'"],
    'node --test': ['ERR_PACKAGE_IMPORT_NOT_DEFINED', "Cannot find module '…/.localization/modules/…'"],
    Jest: ["Cannot find module '#translations'", "Cannot find module '#translations'"],
    Deno: ['ERR_PACKAGE_IMPORT_NOT_DEFINED', 'Module not found "…/.localization/modules/…"'],
    Bun: ["Cannot find package '#translations'", "Cannot find package '#translations'"],
    'Metro (React Native)': ['Missing field "imports" in package.json', 'Unable to resolve module #translations'],
    Parcel: ["Failed to resolve '#translations…'", "Failed to resolve '#translations…'"],
  }).map(([name, messages]) => [name, messages.map(toPattern)]),
)

/** Tools break long lines. */
function toPattern(message: string): RegExp {
  const escaped = message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(escaped.replaceAll(' ', '\\s+').replaceAll('…', '.*'))
}

/** Whether a tool that npm has to install is tested: `FRAMEWORKS` has the first word of its name; in CI, all are. */
export function isAsked(name: string): boolean {
  const [tool = ''] = name.split(' ')
  const asked = (process.env.FRAMEWORKS ?? '').split(',')
  const isHere = Boolean(process.env.CI) || asked.includes('all') || asked.includes(tool.toLowerCase())
  if (!isHere) process.stdout.write(`tests of tools skipped: ${tool} (npm run test:frameworks)\n`)
  return isHere
}

export interface Installed {
  /** What npm installs. */
  readonly packages?: readonly string[]
  /** Programs that come first in `PATH`. */
  readonly programs?: () => Promise<readonly string[]>
  /** What a new project of the tool has, beside the app. */
  readonly files?: Readonly<Record<string, string | object>>
}

export const METRO = 'Metro (React Native)'

/** React Native's configuration of Metro, without the start of the native side, which Node has not. */
const METRO_CONFIG = `
const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config')
module.exports = mergeConfig(getDefaultConfig(__dirname), { serializer: { getModulesRunBeforeMainModule: () => [] } })
`
const METRO_PACKAGES = ['@react-native/metro-config', '@react-native/babel-preset', '@babel/core@7', '@babel/runtime@7']

/** By the tool's name in the page. */
export const TOOLS: Readonly<Record<string, Installed>> = {
  Node: {},
  'node --test': {},
  Jest: {
    packages: ['jest@30', '@babel/core@7', '@babel/preset-env@7'],
    files: {
      'babel.config.js': `module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] }\n`,
    },
  },
  Deno: { programs: async () => [await denoBinary()] },
  Bun: { programs: async () => [await bunBinary()] },
  [METRO]: {
    packages: METRO_PACKAGES,
    // Newer ones than the oldest Node that the package supports.
    programs: async () => [await nodeBinary(24)],
    files: {
      'metro.config.js': METRO_CONFIG,
      'babel.config.js': `module.exports = { presets: ['@react-native/babel-preset'] }\n`,
    },
  },
  Parcel: {
    packages: ['parcel@2'],
    files: { 'index.html': '<!doctype html>\n<h1></h1><input>\n<script type="module" src="./main.js"></script>\n' },
  },
}

export interface ToolProject {
  readonly root: string
  /** Starts a command of the project, until the test is over. */
  start(...command: readonly string[]): RunningProcess
  /** The same with these programs first in `PATH`. */
  startWith(programs: readonly string[], ...command: readonly string[]): RunningProcess
}

/** A project of the tool, with the packed package. */
export async function createToolProject(
  tool: string,
  files: Readonly<Record<string, string | object>>,
): Promise<ToolProject> {
  const { packages = [], programs, files: own = {} } = TOOLS[tool] ?? {}
  const root = await tempFolder()
  await writeTree(root, { 'package.json': { private: true } })
  await npmInstall(root, '--no-save', '--no-package-lock', ...packages, await packTarball())
  await writeTree(root, { ...own, ...files })
  const usual = (await programs?.()) ?? []
  const denoFolder = await tempFolder()
  const startWith = (first: readonly string[], ...command: readonly string[]) => {
    const folders = [...first, ...usual].map((program) => dirname(program))
    const path = [...folders, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
    // In CI, Metro watches no files.
    const env = environment({ PATH: path, CI: '', DENO_NO_UPDATE_CHECK: '1', DENO_DIR: denoFolder })
    return startProcess(command, { cwd: root, env })
  }
  return { root, startWith, start: (...command) => startWith([], ...command) }
}
