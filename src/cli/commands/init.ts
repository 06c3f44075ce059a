/** `localization init`: a configuration for a project, from what it shows and a few questions. */

import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { checkAddress, checkPattern } from '../../config/checks.ts'
import { CONFIG_FILE_NAMES } from '../../config/load.ts'
import { LocalizationError } from '../../errors.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { BUNDLERS, type BundlerName, type DetectedFiles, detectBundler, detectFiles } from '../detect.ts'
import { EDITORS, type EditorFile, type EditorName, editorFiles } from '../editor-files.ts'
import type { Paint } from '../text.ts'

export const initResult = z.object({
  dryRun: z.boolean(),
  /** The file that was written, relative to the root, and what is in it. */
  configFile: z.string(),
  config: z.string(),
  bundler: z.enum(BUNDLERS).nullable(),
  /** The two lines for the bundler's configuration. */
  bundlerLines: z.array(z.string()),
  files: z.string(),
  /** Languages found in files. */
  languages: z.array(z.string()),
  defaultLanguage: z.string().nullable(),
  /** With `--editor`: settings of editors' extensions. */
  editorFiles: z.array(z.object({ path: z.string(), content: z.string() })),
})

interface InitOptions {
  baseUrl?: string
  cdnUrl?: string
  files?: string
  defaultLanguage?: string
  bundler?: BundlerName
  format?: 'ts' | 'mjs' | 'json'
  editor?: readonly EditorName[]
  yes?: boolean
  force?: boolean
  dryRun?: boolean
}

interface Answers {
  readonly baseUrl: string | undefined
  readonly cdnUrl: string | undefined
  readonly files: string
  readonly defaultLanguage: string | undefined
  readonly keySeparator: string | undefined
  readonly languages: readonly string[] | undefined
}

export const addInit: AddCommand = (program, act) => {
  program
    .command('init')
    .summary('write a configuration for this project')
    .description(
      'Write a configuration: finds the bundler and the translation files, and asks for what it cannot find. Without a terminal it does not ask.',
    )
    .option('--base-url <address>', "the service's address; 'local' for the local service")
    .option('--cdn-url <address>', 'the address published files are served from')
    .option('--files <pattern>', 'where the files are, such as "locales/{language}/{namespace}.json"')
    .option('--default-language <name>', 'the language that closes every fallback chain')
    .addOption(new Option('--bundler <name>', 'bundler the printed lines are for').choices(BUNDLERS))
    .addOption(new Option('--format <ending>', 'ending of the configuration file').choices(['ts', 'mjs', 'json']))
    .addOption(
      new Option(
        '--editor <name>',
        'also write what this extension reads (repeatable); alone where a configuration is there',
      )
        .choices(EDITORS)
        .argParser(collectEditor),
    )
    .option('--yes', 'do not ask, take what was found')
    .option('--force', 'replace a configuration that is there')
    .option('--dry-run', 'only show what would be written')
    .addHelpText('after', examples('init', 'init --base-url https://localization.example.com --yes'))
    .action(act(init))
}

async function init(context: CommandContext, options: InitOptions) {
  const { root } = context.globals
  const [bundler, found, existing, typescript] = await Promise.all([
    options.bundler ?? detectBundler(root),
    detectFiles(root),
    findExisting(root),
    exists(join(root, 'tsconfig.json')),
  ])
  checkGiven(options)
  const configFile = `localization.config.${options.format ?? (typescript ? 'ts' : 'mjs')}`
  if (existing !== undefined && !options.force && options.editor) return addEditorFiles(context, options, existing)
  if (existing !== undefined && !options.force && !options.dryRun) {
    throw new LocalizationError('there is a configuration already', {
      code: 'FILE_WRITE',
      place: { file: existing },
      hint: 'Edit it, or give --force to replace it.',
    })
  }
  if (existing !== undefined && existing !== configFile && options.force)
    context.out.warn(`${existing} stays and may be found first: delete it`)
  const answers = await collectAnswers(context, options, bundler, found)
  const config = configText(answers, configFile)
  const made = await editorFiles(options.editor ?? [], {
    root,
    patterns: [answers.files],
    defaultNamespace: 'default',
    defaultLanguage: answers.defaultLanguage ?? 'en',
  })
  if (!options.dryRun) await writeFiles(root, [...made, { path: configFile, content: config }])
  const data: z.infer<typeof initResult> = {
    dryRun: options.dryRun === true,
    configFile,
    config,
    bundler: bundler ?? null,
    bundlerLines: bundlerLines(bundler ?? 'vite'),
    files: answers.files,
    languages: [...(found?.languages ?? [])],
    defaultLanguage: answers.defaultLanguage ?? null,
    editorFiles: made,
  }
  return { data, text: (paint: Paint) => show(data, answers, paint) }
}

/** A project that has a configuration: only what editors read, from that configuration. */
async function addEditorFiles(context: CommandContext, options: InitOptions, configFile: string) {
  const { root } = context.globals
  const [config, bundler, text] = await Promise.all([
    context.config(),
    options.bundler ?? detectBundler(root),
    readFile(join(root, configFile), 'utf8'),
  ])
  const made = await editorFiles(options.editor ?? [], {
    root,
    patterns: config.files,
    defaultNamespace: config.defaultNamespace,
    defaultLanguage: config.defaultLanguage ?? 'en',
  })
  if (!options.dryRun) await writeFiles(root, made)
  const data: z.infer<typeof initResult> = {
    dryRun: options.dryRun === true,
    configFile,
    config: text,
    bundler: bundler ?? null,
    bundlerLines: bundlerLines(bundler ?? 'vite'),
    files: config.files[0] ?? '',
    languages: [],
    defaultLanguage: config.defaultLanguage ?? null,
    editorFiles: made,
  }
  return { data, text: () => sayEditorFiles(data).join('\n') }
}

async function writeFiles(root: string, files: readonly EditorFile[]): Promise<void> {
  for (const { path, content } of files) await writeFileAtomic(join(root, path), content)
}

function sayEditorFiles({ dryRun, editorFiles: made }: z.infer<typeof initResult>): string[] {
  return made.map(({ path }) => `${dryRun ? 'would write' : 'wrote'} ${path}`)
}

function collectEditor(value: string, previous: readonly EditorName[] = []): readonly EditorName[] {
  const editor = EDITORS.find((name) => name === value)
  if (!editor) throw new InvalidArgumentError(`Allowed choices are ${EDITORS.join(', ')}.`)
  return [...previous, editor]
}

async function collectAnswers(
  { io, out, signal }: CommandContext,
  options: InitOptions,
  bundler: BundlerName | undefined,
  found: DetectedFiles | undefined,
): Promise<Answers> {
  out.say(bundler ? `bundler: ${bundler}` : 'bundler: none found')
  out.say(
    found
      ? `translation files: ${found.pattern}, ${count(found.languages.length, 'language')} in ${count(found.files, 'file')}`
      : 'translation files: none found',
  )
  if (found?.collides) out.say('keys collide when they are joined with ".": keySeparator will be "::"')
  if (found && found.strangers.length > 0) out.say(`no language, left out: ${found.strangers.join(', ')}`)
  const asks = !options.yes && io.canAsk
  const ask = async (
    question: string,
    given: string | undefined,
    proposal: string | undefined,
    problem: (text: string) => string | undefined,
  ) => {
    if (given !== undefined || !asks) return given ?? proposal
    for (;;) {
      const answer = await io.ask(`${question}${proposal === undefined ? '' : ` [${proposal}]`}: `, signal)
      const value = answer === '' ? (proposal ?? '') : answer
      const wrong = value === '' ? undefined : problem(value)
      if (wrong === undefined) return value === '' ? undefined : value
      out.say(`  ${wrong}`)
    }
  }
  const files = await ask(
    'Where are the translation files?',
    options.files,
    found?.pattern ?? 'locales/{language}/{namespace}.json',
    checkPattern,
  )
  const language = await ask('Default language', options.defaultLanguage, proposeLanguage(found), () => undefined)
  const baseUrl = await ask(
    "Address of the service (empty: files only, 'local': the local service)",
    options.baseUrl,
    undefined,
    checkServiceAddress,
  )
  const cdnUrl =
    baseUrl === undefined || baseUrl === 'local'
      ? options.cdnUrl
      : await ask('Address of the published files (empty: not used)', options.cdnUrl, undefined, checkAddress)
  return {
    files: files ?? 'locales/{language}/{namespace}.json',
    defaultLanguage: language,
    baseUrl,
    cdnUrl,
    keySeparator: found?.collides && files === found.pattern ? '::' : undefined,
    languages:
      found && found.strangers.length > 0 && files === found.pattern
        ? found.strangers.map((name) => `!${name}`)
        : undefined,
  }
}

function proposeLanguage(found: DetectedFiles | undefined): string | undefined {
  if (!found) return 'en'
  return (
    found.languages.find((name) => name === 'en') ??
    found.languages.find((name) => /^en[-_]/.test(name)) ??
    found.languages[0]
  )
}

function checkServiceAddress(value: string): string | undefined {
  return value === 'local' ? undefined : checkAddress(value)
}

function checkGiven({ baseUrl, cdnUrl, files }: InitOptions): void {
  for (const [option, value, check] of [
    ['--base-url', baseUrl, checkServiceAddress],
    ['--cdn-url', cdnUrl, checkAddress],
    ['--files', files, checkPattern],
  ] as const) {
    const problem = value === undefined ? undefined : check(value)
    if (problem !== undefined) throw new UsageError(`${option}: ${problem}`)
  }
}

/** The API key is nowhere in it: it belongs into the environment. */
export function configText(
  { baseUrl, cdnUrl, files, defaultLanguage, keySeparator, languages }: Answers,
  configFile: string,
): string {
  const service = { ...(baseUrl !== undefined && { baseUrl }), ...(cdnUrl !== undefined && { cdnUrl }) }
  const options = {
    ...(Object.keys(service).length > 0 && { service }),
    files,
    ...(languages !== undefined && { languages }),
    ...(defaultLanguage !== undefined && { defaultLanguage }),
    ...(keySeparator !== undefined && { keySeparator }),
  }
  if (configFile.endsWith('.json')) return `${JSON.stringify(options, null, 2)}\n`
  const literal = (text: string) =>
    `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  const lines = Object.entries(options).map(([name, value]) => {
    if (typeof value === 'string') return `  ${name}: ${literal(value)},`
    if (isList(value)) return `  ${name}: [${value.map(literal).join(', ')}],`
    const members = Object.entries(value).map(([key, text]) => `${key}: ${literal(text)}`)
    return `  ${name}: { ${members.join(', ')} },`
  })
  return [
    "import { defineConfig } from 'unplugin-localization'",
    '',
    'export default defineConfig({',
    ...lines,
    '})',
    '',
  ].join('\n')
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value)
}

function bundlerLines(bundler: BundlerName): string[] {
  return [`import localization from 'unplugin-localization/${bundler}'`, 'plugins: [localization()]']
}

function show(result: z.infer<typeof initResult>, { baseUrl }: Answers, paint: Paint): string {
  const { dryRun, configFile, config, bundler, bundlerLines: lines } = result
  const [importLine = '', pluginLine = ''] = lines
  return [
    `${dryRun ? 'would write' : 'wrote'} ${configFile}`,
    ...sayEditorFiles(result),
    '',
    ...config
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : paint('dim', `  ${line}`))),
    '',
    `Two lines for the configuration of ${bundler ?? 'your bundler (here for vite)'}:`,
    '',
    `  ${paint('cyan', importLine)}`,
    `  ${paint('cyan', pluginLine)}`,
    '',
    ...(baseUrl !== undefined && baseUrl !== 'local'
      ? [
          'The API key goes into .env.local, which must not be committed: LOCALIZATION_API_KEY=...',
          'Then: localization status',
        ]
      : ['Then: localization status']),
  ].join('\n')
}

async function findExisting(root: string): Promise<string | undefined> {
  for (const name of CONFIG_FILE_NAMES) if (await exists(join(root, name))) return name
  return undefined
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
