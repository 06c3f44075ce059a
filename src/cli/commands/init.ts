/** `localization init` sets up a project, using its files and a few questions. */
import { relative } from 'node:path'
import * as z from 'zod'
import { configFilesIn } from '../../config/find.ts'
import { patternNames } from '../../files/patterns.ts'
import { toPosix } from '../../shared/paths.ts'
import { defineCommand, type Frozen, UsageError } from '../command.ts'
import { carryOut } from '../init/assistant.ts'
import { linesFor } from '../init/bundler.ts'
import { FRAMEWORK_NAMES, LIBRARY_NAMES } from '../init/libraries.ts'
import { makePlan } from '../init/plan.ts'
import { detectBundler, devCommand, type Project, readProject, TOOL_NAMES } from '../init/project.ts'
import { proofSchema } from '../init/prove.ts'
import { describeProject, report } from '../init/report.ts'
import { askSetup, INIT_OPTIONS, readSetup } from '../init/setup.ts'
import { readSources } from '../init/texts.ts'
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
  /** The patterns, separated by `, `. Empty if there are none. */
  files: z.string(),
  /** The languages that were found in files. */
  languages: z.array(z.string()),
  /** Patterns whose files have the same languages and namespaces as other files. */
  leftOut: z.array(z.object({ pattern: z.string(), files: z.number().int() })),
  defaultLanguage: z.string().nullable(),
  /** The written files with their diffs. With `--dry-run`, the files that would be written. */
  changes: z.array(z.object({ path: z.string(), isNew: z.boolean(), diff: z.array(z.string()) })),
  /** The changes that the user has to make. `place` is a file, possibly with a line. */
  manual: z.array(z.object({ place: z.string().nullable(), reason: z.string(), lines: z.array(z.string()) })),
  /** The check with the project's own build. */
  build: proofSchema.nullable(),
  firstText: z
    .object({ language: z.string(), namespace: z.string(), key: z.string(), text: z.string(), file: z.string() })
    .nullable(),
  /** The command that starts the dev server, or the build. */
  next: z.string().nullable(),
})
export type InitData = Frozen<z.infer<typeof initResult>>

export const command = defineCommand({
  description:
    'Set a project up: finds the bundler, the framework, the i18n library and the translation files, and asks for ' +
    'the rest. Writes a configuration, adds the plugin, types and a first text, and checks that with a build, which ' +
    'undoes the changes if it fails. It shows every change, and asks on a terminal. Without a terminal it takes the ' +
    'defaults, as with --yes.',
  examples: ['init', 'init --yes', 'init --dry-run', 'init --base-url https://localization.example.com --yes'],
  options: INIT_OPTIONS,
  result: initResult,
  async work(context, given) {
    const { out, globals } = context
    const { root } = globals
    const project = await readProject(root, given.bundler)
    const [existing] = await configFilesIn(root)
    if (existing === undefined) await refuseWorkspaces(project)
    for (const line of describeProject(project)) out.say(line)
    const sources = await readSources(root)
    const stays = existing !== undefined && !given.force
    if (stays) out.say(`${existing}: already exists, not changed`)
    const setup = stays
      ? await readSetup(context, given, existing)
      : await askSetup(context, given, { project, sources, existing })
    const plan = await makePlan(project, setup, sources, given)
    const outcome = await carryOut(context, given, { project, plan, setup })
    const { tool, isMetro, framework = null, library = null } = project
    const { config, found, file } = setup
    const data: InitData = {
      dryRun: given.dryRun,
      configFile: file.path,
      config: file.after,
      bundler: tool ?? null,
      bundlerLines: isMetro ? [] : linesFor(tool ?? 'vite'),
      framework,
      library,
      files: patternNames(config.files),
      languages: found?.languages ?? [],
      leftOut: found?.leftOut ?? [],
      defaultLanguage: config.defaultLanguage ?? null,
      changes: outcome.changes.map(({ path, before, after }) => {
        return { path, isNew: before === undefined, diff: unifiedDiff(before ?? '', after) }
      }),
      manual: [...plan.manual, ...(plan.page?.manual ?? [])].map(({ place = null, ...one }) => ({ place, ...one })),
      build: outcome.proof,
      firstText: plan.first ?? null,
      next: devCommand(project) ?? null,
    }
    return { data, failed: outcome.proof?.state === 'failed', project, plan, setup, outcome, given }
  },
  text: report,
})

/** Checks for the root of a repository with several apps, which has no bundler. Throws UsageError with the apps. */
async function refuseWorkspaces({ root, tool, workspaces }: Project): Promise<void> {
  if (tool !== undefined) return
  const apps: string[] = []
  for (const folder of workspaces) if (await detectBundler(folder)) apps.push(toPosix(relative(root, folder)))
  const [first] = apps
  if (first === undefined) return
  throw new UsageError(
    `this is the root of several packages: name an app, such as --root ${first}. Apps: ${apps.join(', ')}`,
  )
}
