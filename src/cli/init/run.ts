/** `localization init`, from the project to the report. */
import { configFilesIn } from '../../config/find.ts'
import type { CommandContext } from '../command.ts'
import { carryOut } from './assistant.ts'
import { devCommand } from './commands.ts'
import { type ConfigFile, createConfigFile, existingConfigError, patternsOf, readConfigFile } from './config-file.ts'
import { unifiedDiff } from './edit/diff.ts'
import { makePlan } from './plan.ts'
import { linesFor } from './plan-bundler.ts'
import { type Project, readProject } from './project.ts'
import { describeProject, report } from './report.ts'
import type { InitOptions, InitResult } from './result.ts'
import { readSources, type Sources } from './sources.ts'

export async function init(context: CommandContext, options: InitOptions) {
  const { root } = context.globals
  const project = await readProject(root, options.bundler)
  const sources = await readSources(root)
  const file = await configFileFor(context, options, project, sources)
  const { patterns, defaultLanguage } = file
  const plan = await makePlan(project, {
    ...file,
    sources,
    files: patternsOf(file),
    defaultLanguage: defaultLanguage ?? 'en',
  })
  const outcome = await carryOut(context, options, { project, plan, file })
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
    files: patterns.map(({ pattern }) => pattern).join(', '),
    languages: [...file.languages],
    leftOut: [...file.leftOut],
    defaultLanguage: defaultLanguage ?? null,
    changes: outcome.changes.map(({ path, before, after }) => {
      return { path, isNew: before === undefined, diff: unifiedDiff(before ?? '', after) }
    }),
    manual: manual.map(({ place = null, reason, lines }) => ({ place, reason, lines: [...lines] })),
    build: outcome.proof,
    firstText: plan.first ?? null,
    next: devCommand(project) ?? null,
  }
  return {
    data,
    failed: outcome.proof?.state === 'failed',
    text: (paint: CommandContext['out']['paint']) =>
      report({ project, plan, file, outcome, options, bundlerLines }, paint),
  }
}

async function configFileFor(
  context: CommandContext,
  options: InitOptions,
  project: Project,
  sources: Sources,
): Promise<ConfigFile> {
  const [existing] = await configFilesIn(context.globals.root)
  const stays = existing !== undefined && !options.force
  const isUseful = options.write || options.dryRun || (context.io.canAsk && !options.yes)
  if (stays && !isUseful) throw existingConfigError(existing)
  for (const line of describeProject(project)) context.out.say(line)
  if (!stays) return createConfigFile(context, options, { existing, project, sources })
  context.out.say(`${existing}: there is one, and it stays`)
  return readConfigFile(context, existing)
}
