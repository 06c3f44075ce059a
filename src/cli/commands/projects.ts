/** `localization projects list|create` manages the account's projects. Requires the personal token. */
import { chmod } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import type { Project } from '../../api/schemas.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { editFile } from '../../shared/atomic-write.ts'
import { count, percent } from '../../shared/figures.ts'
import { languageName } from '../../shared/language-name.ts'
import { type CommandContext, defineCommand, defineGroup, flag, value } from '../command.ts'
import { table } from '../text.ts'

/** A project without its API key, which `--save-key` writes into a file. */
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
  /** The file to which the API key was written. */
  keyFile: z.string().nullable(),
})

const list = defineCommand({
  description: 'List the projects. API keys are not shown.',
  examples: ['projects list', 'projects list --json'],
  result: projectsListResult,
  async work(context) {
    const { projects } = await context.client()
    return { data: { projects: (await projects.list()).map(withoutKey) } }
  },
  text({ data: { projects } }, paint) {
    if (projects.length === 0) return 'no projects'
    return table(
      projects,
      [
        ['project', ({ name }) => name],
        ['languages', ({ languages }) => languages.length],
        ['keys', ({ keys }) => keys],
        ['translated', ({ translatedShare }) => percent(translatedShare), 'right'],
        ['unpublished', ({ unpublishedChanges }) => unpublishedChanges],
        ['project token', ({ projectToken }) => projectToken],
      ],
      paint,
    )
  },
})

const create = defineCommand({
  description: 'Create a project. Its API key is not shown; --save-key saves the key for the other commands.',
  examples: ['projects create shop --save-key', 'projects create shop --dry-run'],
  options: {
    saveKey: value<string | true>(
      '[file]',
      'write LOCALIZATION_API_KEY into this file (default: .env.local), readable only by you',
      String,
    ),
    dryRun: flag('only show what would be done'),
  },
  result: projectsCreateResult,
  async work(context, options, name = '') {
    const { out, io } = context
    const { dryRun } = options
    const { projects } = await context.client()
    const keyFile = options.saveKey === true ? '.env.local' : (options.saveKey ?? null)
    const same = (await projects.list()).filter((project) => project.name === name).length
    if (same > 0) out.warn(`${count(same, 'other project')} with this name: names need not be unique`)
    if (dryRun) {
      const key = keyFile === null ? '' : ` and write its API key to ${keyFile}`
      const line = `would create the project ${JSON.stringify(name)}${key}`
      return { data: { dryRun, project: null, keyFile: null }, line }
    }
    const created = await projects.create({ name })
    io.hide(created.apiKey)
    const done = `the project ${JSON.stringify(name)} was created`
    if (keyFile !== null) await saveKey(context, keyFile, created.apiKey, done)
    else out.say("its API key is in the service's account settings (next time, --save-key saves it)")
    const project = withoutKey(created)
    const key = keyFile === null ? '' : `; its API key is in ${keyFile}`
    const line = `created ${JSON.stringify(project.name)}, project token ${project.projectToken}${key}`
    return { data: { dryRun, project, keyFile }, line }
  },
  text: ({ line }) => line,
})

export const command = defineGroup("List or create the account's projects. Needs LOCALIZATION_PERSONAL_TOKEN.", {
  list,
  'create <name>': create,
})

function withoutKey(project: Project): z.infer<typeof projectResult> {
  const { name, projectToken, keys, unpublishedChanges, translatedPercentage: translatedShare } = project
  const languages = project.languages.map(({ key, name, isDefault }) => {
    return { key, name: name || languageName(key), isDefault }
  })
  return { name, projectToken, languages, keys, unpublishedChanges, translatedShare }
}

/**
 * Sets LOCALIZATION_API_KEY and keeps all other lines. Warns if that replaces another key.
 *
 * @param done the step that has already succeeded; an error message begins with it
 */
export async function saveKey({ out, globals }: CommandContext, file: string, apiKey: string, done: string) {
  const path = resolve(globals.root, file)
  let isReplaced = false
  const setKey = (content: Buffer | undefined) => {
    const lines = (content?.toString() ?? '').split('\n')
    const kept = lines.filter((line) => !/^\s*(?:export\s+)?LOCALIZATION_API_KEY\s*=/.test(line))
    isReplaced = kept.length < lines.length
    const rest = kept.join('\n').trimEnd()
    return `${rest === '' ? '' : `${rest}\n`}LOCALIZATION_API_KEY=${apiKey}\n`
  }
  try {
    await editFile(path, setKey, { mode: 0o600 })
    await chmod(path, 0o600)
  } catch (cause) {
    throw new LocalizationError(`${done}, but its API key was not saved: ${messageOf(cause)}`, {
      code: 'FILE_WRITE',
      hint: "Use the service's account settings, or add another key with `service keys add`.",
      cause,
    })
  }
  if (isReplaced) out.warn(`replaced the API key in ${file}`)
}
