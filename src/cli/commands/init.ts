/** `localization init`: sets a project up, from what it shows and a few questions. */
import { InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { type AssistantOptions, carryOut } from '../init/assistant.ts'
import { type Change, readText } from '../init/change.ts'
import { devCommand } from '../init/commands.ts'
import {
  type ConfigFile,
  type ConfigOptions,
  createConfigFile,
  existingConfigError,
  findConfigFile,
  patternsOf,
  readConfigFile,
} from '../init/config-file.ts'
import { TOOL_NAMES, type ToolName } from '../init/detect-bundler.ts'
import { unifiedDiff } from '../init/edit/diff.ts'
import { EDITORS, type EditorName, editorFiles } from '../init/editor-files.ts'
import { FRAMEWORK_NAMES, LIBRARY_NAMES } from '../init/libraries.ts'
import { makePlan } from '../init/plan.ts'
import { linesFor } from '../init/plan-bundler.ts'
import { readProject } from '../init/project.ts'
import { describeProject, report } from '../init/report.ts'

export const initResult = z.object({
  dryRun: z.boolean(),
  /** The configuration file, relative to the root, and its content. */
  configFile: z.string(),
  config: z.string(),
  bundler: z.enum(TOOL_NAMES).nullable(),
  /** The two lines for the bundler's configuration. */
  bundlerLines: z.array(z.string()),
  framework: z.enum(FRAMEWORK_NAMES).nullable(),
  library: z.enum(LIBRARY_NAMES).nullable(),
  /** Several patterns are separated by `, `; empty: none. */
  files: z.string(),
  /** Languages found in files. */
  languages: z.array(z.string()),
  /** Patterns whose files have the languages and namespaces of others. */
  leftOut: z.array(z.object({ pattern: z.string(), files: z.number().int() })),
  defaultLanguage: z.string().nullable(),
  /** With `--editor`: settings of editors' extensions. */
  editorFiles: z.array(z.object({ path: z.string(), content: z.string() })),
  /** The files that were written, with their diffs; with `--dry-run`, those that `--write` would write. */
  changes: z.array(z.object({ path: z.string(), isNew: z.boolean(), diff: z.array(z.string()) })),
  /** Changes that only a person can make. `place`: a file, perhaps with a line. */
  manual: z.array(z.object({ place: z.string().nullable(), reason: z.string(), lines: z.array(z.string()) })),
  /** The check with the project's own build. */
  build: z
    .object({
      command: z.string().nullable(),
      state: z.enum(['passed', 'failed', 'skipped']),
      message: z.string(),
      /** A file of the output that has the first text. */
      file: z.string().nullable(),
      /** If the build failed: whether it fails without the changes too. */
      failedBefore: z.boolean().nullable(),
      output: z.string().nullable(),
    })
    .nullable(),
  firstText: z
    .object({ language: z.string(), namespace: z.string(), key: z.string(), text: z.string(), file: z.string() })
    .nullable(),
  /** The command that starts the dev server, or the build. */
  next: z.string().nullable(),
})
type Result = z.infer<typeof initResult>

interface InitOptions extends ConfigOptions, AssistantOptions {
  readonly yes?: boolean
  readonly bundler?: ToolName
  readonly editor?: readonly EditorName[]
}

export const addInit: AddCommand = (program, act) => {
  program
    .command('init')
    .summary('set this project up: configuration, plugin, first text')
    .description(
      'Set a project up: finds the bundler, the framework, the i18n library and the translation files, asks for the ' +
        'rest, and writes a configuration. With --write, or after a question on a terminal, it also adds the plugin ' +
        "to the bundler's configuration, and checks that with a build. Without a terminal it does not ask.",
    )
    .option('--write', "add the plugin to the bundler's configuration, types, and a first text; check with a build")
    .option('--first-text', "with --write: also add lines to the app's entry that show the first text")
    .option('--no-build', 'do not check the changes with a build')
    .option('--base-url <address>', "the service's address; 'local' for the local service")
    .option('--cdn-url <address>', 'the address of the published files')
    .option('--files <pattern>', 'pattern of the translation files, such as "locales/{language}/{namespace}.json"')
    .option('--default-language <name>', 'the last language of every fallback chain')
    .addOption(new Option('--bundler <name>', 'the bundler, if another one is found').choices(TOOL_NAMES))
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
    .option('--dry-run', 'show every change, and write nothing')
    .addHelpText(
      'after',
      examples('init', 'init --write --yes', 'init --base-url https://localization.example.com --yes'),
    )
    .action(act(init))
}

async function init(context: CommandContext, options: InitOptions) {
  const { root } = context.globals
  const project = await readProject(root, options.bundler)
  const existing = await findConfigFile(root)
  const file = await configFileFor(context, options, existing, () => {
    for (const line of describeProject(project)) context.out.say(line)
  })
  const { patterns, defaultLanguage, defaultNamespace } = file
  const names = patterns.map(({ pattern }) => pattern)
  const made = await editorFiles(options.editor ?? [], {
    root,
    patterns: patternsOf(file).map(({ pattern }) => pattern),
    defaultNamespace,
    defaultLanguage,
  })
  const plan = await makePlan(project, {
    ...file,
    files: patternsOf(file),
    defaultLanguage: defaultLanguage ?? 'en',
  })
  const always: Change[] = []
  for (const { path, content } of made) always.push({ path, before: await readText(root, path), after: content })
  if (file.isNew) always.push({ path: file.configFile, before: file.before, after: file.config })
  const onlyEditors = !file.isNew && made.length > 0 && !options.write
  const assistant = onlyEditors ? { ...options, yes: true } : options
  const outcome = await carryOut(context, assistant, { project, plan, file, always })
  const bundler = project.tool === 'metro' ? undefined : project.tool
  const bundlerLines = project.tool === 'metro' ? [] : linesFor(bundler ?? 'vite')
  const manual = [...plan.manual, ...(plan.page?.manual ?? [])]
  const data: Result = {
    dryRun: options.dryRun === true,
    configFile: file.configFile,
    config: file.config,
    bundler: bundler ?? null,
    bundlerLines,
    framework: project.framework ?? null,
    library: project.library ?? null,
    files: names.join(', '),
    languages: [...file.languages],
    leftOut: [...file.leftOut],
    defaultLanguage: defaultLanguage ?? null,
    editorFiles: made,
    changes: outcome.changes.map(({ path, before, after }) => {
      return { path, isNew: before === undefined, diff: unifiedDiff(before ?? '', after) }
    }),
    manual: manual.map(({ place = null, reason, lines }) => ({ place, reason, lines: [...lines] })),
    build: outcome.proof,
    firstText: plan.first ?? null,
    next: devCommand(project) ?? null,
  }
  const paths = made.map(({ path }) => path)
  return {
    data,
    failed: outcome.proof?.state === 'failed',
    text: (paint: CommandContext['out']['paint']) =>
      report({ project, plan, file, outcome, options, bundlerLines, editorFiles: paths }, paint),
  }
}

async function configFileFor(
  context: CommandContext,
  options: InitOptions,
  existing: string | undefined,
  describe: () => void,
): Promise<ConfigFile> {
  if (existing === undefined || options.force) {
    describe()
    return createConfigFile(context, options, existing)
  }
  const isUseful = options.write || options.dryRun || options.editor || (context.io.canAsk && !options.yes)
  if (!isUseful) throw existingConfigError(existing)
  if (!options.editor) {
    describe()
    context.out.say(`${existing}: there is one, and it stays`)
  }
  return readConfigFile(context, existing)
}

function collectEditor(value: string, previous: readonly EditorName[] = []): readonly EditorName[] {
  const editor = EDITORS.find((name) => name === value)
  if (!editor) throw new InvalidArgumentError(`Allowed choices are ${EDITORS.join(', ')}.`)
  return [...previous, editor]
}
