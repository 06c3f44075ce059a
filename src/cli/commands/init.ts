/** `localization init`: writes a configuration, from what the project shows and a few questions. */

import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { CONFIG_FILE_NAMES } from '../../config/file-names.ts'
import { LocalizationError } from '../../errors.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { collectAnswers, type GivenAnswers } from '../init/answers.ts'
import { configText } from '../init/config-text.ts'
import { detectBundler, TOOL_NAMES, type ToolName } from '../init/detect-bundler.ts'
import { type DetectedFiles, detectFiles, matchesFiles } from '../init/detect-files.ts'
import { EDITORS, type EditorName, editorFiles } from '../init/editor-files.ts'
import type { Paint } from '../text.ts'

export const initResult = z.object({
  dryRun: z.boolean(),
  /** The configuration file, relative to the root, and its content. */
  configFile: z.string(),
  config: z.string(),
  bundler: z.enum(TOOL_NAMES).nullable(),
  /** The two lines for the bundler's configuration. */
  bundlerLines: z.array(z.string()),
  /** Several patterns are separated by `, `; empty: none. */
  files: z.string(),
  /** Languages found in files. */
  languages: z.array(z.string()),
  /** Patterns whose files have the languages and namespaces of others. */
  leftOut: z.array(z.object({ pattern: z.string(), files: z.number().int() })),
  defaultLanguage: z.string().nullable(),
  /** With `--editor`: settings of editors' extensions. */
  editorFiles: z.array(z.object({ path: z.string(), content: z.string() })),
})
type Result = z.infer<typeof initResult>

interface InitOptions extends GivenAnswers {
  bundler?: ToolName
  format?: 'ts' | 'mjs' | 'json'
  editor?: readonly EditorName[]
  force?: boolean
  dryRun?: boolean
}

export const addInit: AddCommand = (program, act) => {
  program
    .command('init')
    .summary('write a configuration for this project')
    .description(
      'Write a configuration: finds the bundler and the translation files, and asks for the rest. ' +
        'Without a terminal it does not ask.',
    )
    .option('--base-url <address>', "the service's address; 'local' for the local service")
    .option('--cdn-url <address>', 'the address of the published files')
    .option('--files <pattern>', 'pattern of the translation files, such as "locales/{language}/{namespace}.json"')
    .option('--default-language <name>', 'the last language of every fallback chain')
    .addOption(new Option('--bundler <name>', 'bundler for the printed lines').choices(TOOL_NAMES))
    .addOption(new Option('--format <ending>', 'file extension of the configuration').choices(['ts', 'mjs', 'json']))
    .addOption(
      new Option(
        '--editor <name>',
        'also write settings for this editor extension (repeatable); only these if a configuration exists',
      )
        .choices(EDITORS)
        .argParser(collectEditor),
    )
    .option('--yes', 'do not ask, use the detected values')
    .option('--force', 'replace an existing configuration')
    .option('--dry-run', 'only show what would be written')
    .addHelpText('after', examples('init', 'init --base-url https://localization.example.com --yes'))
    .action(act(init))
}

/** The existing configuration file, or the one to write. */
interface ConfigFile {
  readonly isNew: boolean
  readonly configFile: string
  readonly config: string
  readonly patterns: readonly string[]
  readonly languages: readonly string[]
  readonly leftOut: DetectedFiles['leftOut']
  readonly defaultLanguage: string | undefined
  readonly defaultNamespace: string
  readonly needsApiKey: boolean
}

async function init(context: CommandContext, options: InitOptions) {
  const { root } = context.globals
  const detected = options.bundler ?? (await detectBundler(root))
  const bundler = detected === 'metro' ? undefined : detected
  const existing = await findExisting(root)
  const file =
    existing !== undefined && options.editor && !options.force
      ? await readConfigFile(context, existing)
      : await createConfigFile(context, options, detected, existing)
  const { configFile, config, patterns, languages, leftOut, defaultLanguage = null } = file
  const made = await editorFiles(options.editor ?? [], { root, ...file })
  const written = [...made, ...(file.isNew ? [{ path: configFile, content: config }] : [])]
  if (!options.dryRun) for (const { path, content } of written) await writeFileAtomic(join(root, path), content)
  const data: Result = {
    dryRun: options.dryRun === true,
    configFile,
    config,
    bundler: bundler ?? null,
    bundlerLines: detected === 'metro' ? [] : linesFor(bundler ?? 'vite'),
    files: patterns.join(', '),
    languages: [...languages],
    leftOut: [...leftOut],
    defaultLanguage,
    editorFiles: made,
  }
  return { data, text: (paint: Paint) => format(data, file, paint) }
}

function linesFor(tool: ToolName): string[] {
  return tool === 'next'
    ? [`import withLocalization from 'unplugin-localization/next'`, 'export default withLocalization(nextConfig)']
    : [`import localization from 'unplugin-localization/${tool}'`, 'plugins: [localization()]']
}

/** Only the editors' files are written, from this configuration. */
async function readConfigFile(context: CommandContext, configFile: string): Promise<ConfigFile> {
  const { files, defaultLanguage, defaultNamespace } = await context.config()
  const config = await readFile(join(context.globals.root, configFile), 'utf8')
  const names = { defaultLanguage, defaultNamespace }
  const none = { languages: [], leftOut: [] }
  return {
    isNew: false,
    configFile,
    config,
    patterns: files.map(({ pattern }) => pattern),
    ...none,
    ...names,
    needsApiKey: false,
  }
}

async function createConfigFile(
  context: CommandContext,
  options: InitOptions,
  bundler: ToolName | 'metro' | undefined,
  existing: string | undefined,
): Promise<ConfigFile> {
  const { out, globals } = context
  const ending = options.format ?? ((await exists(join(globals.root, 'tsconfig.json'))) ? 'ts' : 'mjs')
  const configFile = `localization.config.${ending}`
  if (existing !== undefined && !options.force && !options.dryRun)
    throw new LocalizationError('there is a configuration already', {
      code: 'FILE_WRITE',
      place: { file: existing },
      hint: 'Edit it, or give --force to replace it.',
    })
  if (existing !== undefined && existing !== configFile && options.force)
    out.warn(`${existing} still exists and may be loaded instead: delete it`)
  const found = await detectFiles(globals.root)
  out.say(
    `bundler: ${bundler === 'metro' ? 'Metro (React Native), which takes no plugins' : (bundler ?? 'none found')}`,
  )
  for (const line of describeFiles(found)) out.say(line)
  const answers = await collectAnswers(context, options, found)
  const { baseUrl } = answers.service
  const patterns = [answers.files ?? []].flat().map((file) => (typeof file === 'string' ? file : file.pattern))
  for (const pattern of patterns)
    if (!(await matchesFiles(globals.root, pattern))) out.warn(`no file matches ${pattern} yet`)
  return {
    isNew: true,
    configFile,
    config: configText(answers, configFile),
    patterns,
    languages: found?.languages ?? [],
    leftOut: found?.leftOut ?? [],
    defaultLanguage: answers.defaultLanguage,
    defaultNamespace: 'default',
    needsApiKey: baseUrl !== undefined && baseUrl !== 'local',
  }
}

function describeFiles(found: DetectedFiles | undefined): string[] {
  if (!found) return ['translation files: none found']
  const { patterns, wrapped, languages, files, collides, strangers, leftOut } = found
  return [
    `translation files: ${patterns.join(', ')}, ${count(languages.length, 'language')} in ${count(files, 'file')}`,
    ...wrapped.map((pattern) => `${pattern}: the texts are inside an object with the language's name`),
    ...(collides ? ['keys collide when they are joined with ".": keySeparator will be "::"'] : []),
    ...(strangers.length > 0 ? [`left out, because these names are not languages: ${strangers.join(', ')}`] : []),
    ...leftOut.map((one) => {
      return `left out: ${one.pattern}, ${count(one.files, 'file')} with the languages and namespaces of others`
    }),
  ]
}

function format(data: Result, { isNew, needsApiKey }: ConfigFile, paint: Paint): string {
  const { dryRun, configFile, config, bundler, bundlerLines } = data
  const verb = dryRun ? 'would write' : 'wrote'
  const editors = data.editorFiles.map(({ path }) => `${verb} ${path}`)
  if (!isNew) return editors.join('\n')
  const content = config.trimEnd().split('\n')
  return [
    `${verb} ${configFile}`,
    ...editors,
    '',
    ...content.map((line) => (line === '' ? '' : paint('dim', `  ${line}`))),
    '',
    ...(bundlerLines.length > 0
      ? [
          `Two lines for the configuration of ${bundler ?? 'your bundler (here for vite)'}:`,
          '',
          ...bundlerLines.map((line) => `  ${paint('cyan', line)}`),
          '',
        ]
      : []),
    ...(bundler === null ? ['For a tool that takes no plugins: localization generate (docs/generate.md)', ''] : []),
    ...(needsApiKey ? ['The API key goes into .env.local, which must not be committed: LOCALIZATION_API_KEY=...'] : []),
    'Then: localization status',
  ].join('\n')
}

function collectEditor(value: string, previous: readonly EditorName[] = []): readonly EditorName[] {
  const editor = EDITORS.find((name) => name === value)
  if (!editor) throw new InvalidArgumentError(`Allowed choices are ${EDITORS.join(', ')}.`)
  return [...previous, editor]
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
