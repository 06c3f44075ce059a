/** `localization init`, from the project to the report. */
import type { CommandContext } from '../command.ts'
import { carryOut } from './assistant.ts'
import { type Change, readText } from './change.ts'
import { devCommand } from './commands.ts'
import {
  type ConfigFile,
  createConfigFile,
  existingConfigError,
  findConfigFile,
  patternsOf,
  readConfigFile,
} from './config-file.ts'
import { unifiedDiff } from './edit/diff.ts'
import { editorFiles } from './editor-files.ts'
import { makePlan } from './plan.ts'
import { linesFor } from './plan-bundler.ts'
import { readProject } from './project.ts'
import { describeProject, report } from './report.ts'
import type { InitOptions, InitResult } from './result.ts'

export async function init(context: CommandContext, options: InitOptions) {
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
  const data: InitResult = {
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
