/** `localization projects list|create`: the account's projects. Needs the personal token. */

import { resolve } from 'node:path'
import * as z from 'zod'
import type { Project } from '../../api/schemas.ts'
import { count, grouped, percent } from '../../shared/figures.ts'
import { languageName } from '../../shared/language-name.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { writeKey } from '../key-file.ts'
import { type Column, type Paint, table } from '../text.ts'

/** Without the API key: `--save-key` writes it into a file. */
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

type ProjectResult = z.infer<typeof projectResult>

interface CreateOptions {
  saveKey?: string | true
  dryRun?: boolean
}

export const addProjects: AddCommand = (program, act) => {
  const projects = program
    .command('projects')
    .summary('list or create projects')
    .description("List or create the account's projects. Needs LOCALIZATION_PERSONAL_TOKEN.")
  projects
    .command('list')
    .description('List the projects. API keys are not shown.')
    .addHelpText('after', examples('projects list', 'projects list --json'))
    .action(act(list))
  projects
    .command('create <name>')
    .description('Create a project. Its API key is not shown; --save-key saves the key for the other commands.')
    .option(
      '--save-key [file]',
      'write LOCALIZATION_API_KEY into this file (default: .env.local), readable only by you',
    )
    .option('--dry-run', 'only show what would be done')
    .addHelpText('after', examples('projects create shop --save-key', 'projects create shop --dry-run'))
    .action(act(create))
}

async function list(context: CommandContext) {
  const { projects: api } = await context.client()
  const projects = (await api.list()).map(withoutKey)
  const columns: Column<ProjectResult>[] = [
    { title: 'project', value: ({ name }) => name },
    { title: 'languages', align: 'right', value: ({ languages }) => String(languages.length) },
    { title: 'keys', align: 'right', value: ({ keys }) => grouped(keys) },
    { title: 'translated', align: 'right', value: ({ translatedShare }) => percent(translatedShare) },
    { title: 'unpublished', align: 'right', value: ({ unpublishedChanges }) => grouped(unpublishedChanges) },
    { title: 'project token', value: ({ projectToken }) => projectToken },
  ]
  const data: z.infer<typeof projectsListResult> = { projects }
  return { data, text: (paint: Paint) => (projects.length === 0 ? 'no projects' : table(projects, columns, paint)) }
}

async function create(context: CommandContext, { saveKey, dryRun = false }: CreateOptions, name: string) {
  const { out, io, globals } = context
  const { projects } = await context.client()
  const keyFile = saveKey === true ? '.env.local' : (saveKey ?? null)
  const same = (await projects.list()).filter((project) => project.name === name).length
  if (same > 0) out.warn(`${count(same, 'project')} of this name already: names need not be unique`)
  if (dryRun) {
    const data: z.infer<typeof projectsCreateResult> = { dryRun, project: null, keyFile: null }
    const key = keyFile === null ? '' : ` and write its API key to ${keyFile}`
    return { data, text: () => `would create the project ${JSON.stringify(name)}${key}` }
  }
  const created = await projects.create({ name })
  io.hide(created.apiKey)
  if (keyFile === null) {
    out.say('its API key is in the account settings of the service (next time, --save-key saves it)')
  } else if (await writeKey(resolve(globals.root, keyFile), created.apiKey)) {
    out.warn(`the API key that was in ${keyFile} before is replaced`)
  }
  const project = withoutKey(created)
  const data: z.infer<typeof projectsCreateResult> = { dryRun, project, keyFile }
  const key = keyFile === null ? '' : `; its API key is in ${keyFile}`
  return {
    data,
    text: () => `created ${JSON.stringify(project.name)}, project token ${project.projectToken}${key}`,
  }
}

function withoutKey(project: Project): ProjectResult {
  const { name, projectToken, keys, unpublishedChanges, translatedPercentage: translatedShare } = project
  const languages = project.languages.map((language) => ({
    key: language.key,
    name: language.name || languageName(language.key),
    isDefault: language.isDefault,
  }))
  return { name, projectToken, languages, keys, unpublishedChanges, translatedShare }
}
