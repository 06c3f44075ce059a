/** `localization projects list|create`: the account's projects. Needs the personal token. */

import * as z from 'zod'
import type { Project } from '../../api/schemas.ts'
import { count, grouped, percent } from '../../shared/figures.ts'
import { languageName } from '../../shared/language-name.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { table } from '../text.ts'

/** No API key in it: `--save-key` puts that into a file. */
const projectResult = z.object({
  name: z.string(),
  projectToken: z.string(),
  languages: z.array(z.object({ key: z.string(), name: z.string(), isDefault: z.boolean() })),
  keys: z.number().int(),
  unpublishedChanges: z.number().int(),
  translatedShare: z.number(),
})
export const projectsListResult = z.object({ projects: z.array(projectResult) })
export const projectsCreateResult = z.object({
  dryRun: z.boolean(),
  project: projectResult.nullable(),
  /** The file the API key was written to. */
  keyFile: z.string().nullable(),
})

export const addProjects: AddCommand = (program, act) => {
  const projects = program
    .command('projects')
    .summary('list or create projects')
    .description("The account's projects. Needs LOCALIZATION_PERSONAL_TOKEN.")
  projects
    .command('list')
    .description('List the projects. API keys are not shown.')
    .addHelpText('after', examples('projects list', 'projects list --json'))
    .action(
      act(async (context) => {
        const found = (await (await context.client()).projects.list()).map(withoutKey)
        return {
          data: { projects: found } satisfies z.infer<typeof projectsListResult>,
          text: (paint) =>
            found.length === 0
              ? 'no projects'
              : table(
                  found,
                  [
                    { title: 'project', value: ({ name }) => name },
                    { title: 'languages', align: 'right', value: ({ languages }) => String(languages.length) },
                    { title: 'keys', align: 'right', value: ({ keys }) => grouped(keys) },
                    { title: 'translated', align: 'right', value: ({ translatedShare }) => percent(translatedShare) },
                    {
                      title: 'unpublished',
                      align: 'right',
                      value: ({ unpublishedChanges }) => grouped(unpublishedChanges),
                    },
                    { title: 'project token', value: ({ projectToken }) => projectToken },
                  ],
                  paint,
                ),
        }
      }),
    )
  projects
    .command('create <name>')
    .description('Create a project. Its API key is not shown; --save-key puts it where the other commands find it.')
    .option(
      '--save-key [file]',
      'write LOCALIZATION_API_KEY into this file (.env.local unless named), readable by you alone',
    )
    .option('--dry-run', 'only say what would be done')
    .addHelpText('after', examples('projects create shop --save-key', 'projects create shop --dry-run'))
    .action(
      act(async (context, options: { saveKey?: string | true; dryRun?: boolean }, name: string) => {
        const keyFile = options.saveKey === true ? '.env.local' : options.saveKey
        return create(context, name, keyFile, options.dryRun === true)
      }),
    )
}

async function create(context: CommandContext, name: string, keyFile: string | undefined, dryRun: boolean) {
  const { projects } = await context.client()
  const same = (await projects.list()).filter((project) => project.name === name).length
  if (same > 0) context.out.warn(`${count(same, 'project')} of this name already: names need not be unique`)
  if (dryRun) {
    return {
      data: { dryRun, project: null, keyFile: null } satisfies z.infer<typeof projectsCreateResult>,
      text: () =>
        `would create the project ${JSON.stringify(name)}${keyFile === undefined ? '' : ` and write its API key to ${keyFile}`}`,
    }
  }
  const created = await projects.create({ name })
  context.io.hide(created.apiKey)
  if (keyFile === undefined) {
    context.out.say('its API key: in the account settings of the service (or next time with --save-key)')
  } else if (await saveKey(context.globals.root, keyFile, created.apiKey)) {
    context.out.warn(`the API key that was in ${keyFile} before is replaced`)
  }
  const project = withoutKey(created)
  return {
    data: { dryRun, project, keyFile: keyFile ?? null } satisfies z.infer<typeof projectsCreateResult>,
    text: () =>
      `created ${JSON.stringify(project.name)}, project token ${project.projectToken}${keyFile === undefined ? '' : `; its API key is in ${keyFile}`}`,
  }
}

/** Sets one variable of a `.env` file and leaves the rest as it is; true where it was set before. */
async function saveKey(root: string, file: string, apiKey: string): Promise<boolean> {
  const [{ readFile, chmod }, { resolve }, { writeFileAtomic }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../../shared/atomic-write.ts'),
  ])
  const path = resolve(root, file)
  const current = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const line = `LOCALIZATION_API_KEY=${apiKey}`
  const lines = current.split('\n')
  const kept = lines.filter((each) => !/^\s*(?:export\s+)?LOCALIZATION_API_KEY\s*=/.test(each))
  const hadKey = kept.length < lines.length
  while (kept.at(-1) === '') kept.pop()
  await writeFileAtomic(path, `${[...kept, line].join('\n')}\n`, { mode: 0o600 })
  await chmod(path, 0o600)
  return hadKey
}

function withoutKey(project: Project): z.infer<typeof projectResult> {
  return {
    name: project.name,
    projectToken: project.projectToken,
    languages: project.languages.map(({ key, name, isDefault }) => ({
      key,
      name: name || languageName(key),
      isDefault,
    })),
    keys: project.keys,
    unpublishedChanges: project.unpublishedChanges,
    translatedShare: project.translatedPercentage,
  }
}
