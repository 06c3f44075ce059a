/** `localization init` sets up a project: finds, asks, plans, shows, writes, checks with a build, and reports. */
import { relative } from 'node:path'
import { configFilesIn } from '../../config/find.ts'
import { patternNames } from '../../files/patterns.ts'
import { toPosix } from '../../shared/paths.ts'
import { type CommandContext, defineCommand, UsageError } from '../command.ts'
import { linesFor } from '../init/bundler.ts'
import { applyChanges, type Change } from '../init/changes.ts'
import { makePlan, type Plan } from '../init/plan.ts'
import { detectBundler, devCommand, type Project, readProject } from '../init/project.ts'
import { findBuild, type Outcome, prove } from '../init/prove.ts'
import { describeProject, diffLines, type InitData, initResult, report } from '../init/report.ts'
import { askSetup, createQuestions, INIT_OPTIONS, type InitOptions, readSetup } from '../init/setup.ts'
import { readSources } from '../init/texts.ts'
import { unifiedDiff } from '../text.ts'

export { initResult } from '../init/report.ts'

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
    const outcome = await carryOut(context, given, plan, findBuild(project, setup, plan, given))
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
    return { data, failed: outcome.proof?.state === 'failed', project, plan, config, outcome, given }
  },
  text: report,
})

/** Throws UsageError if only the root's workspaces have bundlers. */
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

/** Shows the planned changes, asks the user about them, writes them, and proves them with a build. */
async function carryOut(
  context: CommandContext,
  given: InitOptions,
  plan: Plan,
  build: ReturnType<typeof findBuild>,
): Promise<Outcome> {
  const page = plan.page?.changes ?? []
  const planned = [...plan.changes, ...page]
  const outcome = (changes: readonly Change[], isRefused = false): Outcome => {
    const isShown = plan.isShown || page.some((change) => changes.includes(change))
    return { changes, proof: null, isRefused, isShown }
  }
  if (given.dryRun || planned.length === 0) return outcome(planned)
  if (!context.globals.json)
    for (const line of planned.flatMap((change) => diffLines(change, context.out.talk))) context.out.say(line)
  const answer = context.io.canAsk && !given.yes ? await askWhat(context, build, page) : 'all'
  if (answer === 'nothing') return outcome([], true)
  const changes = answer === 'all' ? planned : plan.changes
  const undo = await applyChanges(context.globals.root, changes)
  const written = outcome(changes)
  if (typeof build !== 'string') return { ...written, proof: build }
  return { ...written, proof: await prove(context, build, plan, written, undo) }
}

async function askWhat(context: CommandContext, build: ReturnType<typeof findBuild>, page: readonly Change[]) {
  const questions = await createQuestions(context)
  const [check, undone] =
    typeof build === 'string' ? [` and check them with ${build}`, ' They are undone if that fails.'] : ['', '']
  return questions.choose<'all' | 'without page' | 'nothing'>(`Write these changes${check}?${undone}`, [
    ['all', 'yes'],
    ...page.map(({ path }) => ['without page', `yes, but leave ${path} unchanged`] as const),
    ['nothing', 'no, write nothing'],
  ])
}
