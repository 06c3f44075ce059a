/** `localization init`: sets up a project, from its files and a few questions. */
import * as z from 'zod'
import { configFilesIn } from '../../config/find.ts'
import { type CommandContext, defineCommand } from '../command.ts'
import { INIT_OPTIONS, type InitOptions } from '../init/answers.ts'
import { carryOut } from '../init/assistant.ts'
import { devCommand } from '../init/commands.ts'
import {
  type ConfigFile,
  createConfigFile,
  existingConfigError,
  patternsOf,
  readConfigFile,
} from '../init/config-file.ts'
import { TOOL_NAMES } from '../init/detect-bundler.ts'
import { FRAMEWORK_NAMES, LIBRARY_NAMES } from '../init/libraries.ts'
import { makePlan } from '../init/plan.ts'
import { linesFor } from '../init/plan-bundler.ts'
import { type Project, readProject } from '../init/project.ts'
import { describeProject, report } from '../init/report.ts'
import { readSources, type Sources } from '../init/sources.ts'
import { unifiedDiff } from '../line-diff.ts'

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
  /** The patterns, separated by `, `; empty: none. */
  files: z.string(),
  /** Languages found in files. */
  languages: z.array(z.string()),
  /** Patterns whose files have the languages and namespaces of others. */
  leftOut: z.array(z.object({ pattern: z.string(), files: z.number().int() })),
  defaultLanguage: z.string().nullable(),
  /** The written files with their diffs; with `--dry-run`, those that `--write` would write. */
  changes: z.array(z.object({ path: z.string(), isNew: z.boolean(), diff: z.array(z.string()) })),
  /** Changes that the user has to make. `place`: a file, perhaps with a line. */
  manual: z.array(z.object({ place: z.string().nullable(), reason: z.string(), lines: z.array(z.string()) })),
  /** The check with the project's own build. */
  build: z
    .object({
      command: z.string().nullable(),
      state: z.enum(['passed', 'failed', 'skipped']),
      message: z.string(),
      /** A file of the output that has the first text. */
      file: z.string().nullable(),
      /** If the build failed: true if it also fails without the changes. */
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

export const command = defineCommand({
  description:
    'Set up a project: detects the bundler, the framework, the i18n library and the translation files, ' +
    'and writes a configuration. --write also adds the plugin to the bundler and checks it with a ' +
    'build.',
  examples: ['init', 'init --write --yes', 'init --base-url https://localization.example.com --yes'],
  options: INIT_OPTIONS,
  result: initResult,
  async work(context, given) {
    const { root } = context.globals
    const project = await readProject(root, given.bundler)
    const sources = await readSources(root)
    const file = await configFileFor(context, given, project, sources)
    const { patterns, defaultLanguage } = file
    const plan = await makePlan(project, {
      ...file,
      sources,
      files: patternsOf(file),
      defaultLanguage: defaultLanguage ?? 'en',
    })
    const outcome = await carryOut(context, given, { project, plan, file })
    const bundler = project.tool === 'metro' ? undefined : project.tool
    const bundlerLines = project.tool === 'metro' ? [] : linesFor(bundler ?? 'vite')
    const manual = [...plan.manual, ...(plan.page?.manual ?? [])]
    const data = {
      dryRun: given.dryRun,
      configFile: file.configFile,
      config: file.config,
      bundler: bundler ?? null,
      bundlerLines,
      framework: project.framework ?? null,
      library: project.library ?? null,
      files: patterns.map(({ pattern }) => pattern).join(', '),
      languages: file.languages,
      leftOut: file.leftOut,
      defaultLanguage: defaultLanguage ?? null,
      changes: outcome.changes.map(({ path, before, after }) => {
        return { path, isNew: before === undefined, diff: unifiedDiff(before ?? '', after) }
      }),
      manual: manual.map(({ place = null, reason, lines }) => ({ place, reason, lines })),
      build: outcome.proof,
      firstText: plan.first ?? null,
      next: devCommand(project) ?? null,
    }
    return { data, failed: outcome.proof?.state === 'failed', project, plan, file, outcome, given, bundlerLines }
  },
  text: ({ project, plan, file, outcome, given, bundlerLines }, paint) =>
    report({ project, plan, file, outcome, options: given, bundlerLines }, paint),
})

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
  context.out.say(`${existing}: already exists, not changed`)
  return readConfigFile(context, existing)
}
