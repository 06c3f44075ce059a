/** `localization keys add|remove`. */

import picomatch from 'picomatch'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import { isApiError } from '../../api/errors.ts'
import { serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import { LocalizationError } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { collect, collectPairs, wholeNumber } from '../options.ts'
import { quoted } from '../text.ts'

export const keysAddResult = z.object({
  dryRun: z.boolean(),
  namespace: z.string(),
  key: z.string(),
  texts: z.array(z.object({ language: z.string(), text: z.string() })),
})
export const keysRemoveResult = z.object({
  dryRun: z.boolean(),
  namespace: z.string(),
  removed: z.array(z.object({ key: z.string(), texts: z.number().int() })),
  notFound: z.array(z.string()),
  failures: z.array(z.string()),
})

interface AddOptions {
  namespace?: string
  description?: string
  codeDescription?: string
  tag?: readonly string[]
  charactersLimit?: number
  text?: readonly (readonly [string, string])[]
  dryRun?: boolean
}

interface RemoveOptions {
  namespace?: string
  yes?: boolean
  dryRun?: boolean
}

export const addKeys: AddCommand = (program, act) => {
  const keys = program
    .command('keys')
    .summary('add keys to the service, or remove them')
    .description('Add keys to the service, or remove them.')
  keys
    .command('add <key>')
    .description('Create a key and the given texts. An existing key is an error.')
    .option('--namespace <name>', 'namespace; default: the default namespace')
    .option('--description <text>', 'description for translators')
    .option('--code-description <text>', 'description from the code, which translators cannot edit')
    .option('--tag <tag>', 'tag (repeatable, at most five)', collect)
    .option('--characters-limit <number>', 'maximum length of a text', wholeNumber)
    .option('--text <language=text>', 'text of the key (repeatable)', collectPairs(String))
    .option('--dry-run', 'only show what would be done')
    .addHelpText('after', examples('keys add cart.title --namespace shop --text en="Your cart" --text pl="Koszyk"'))
    .action(act(add))
  keys
    .command('remove <key...>')
    .description(
      'Delete keys with their texts in every language. Takes globs such as "errors.*". Asks before it deletes.',
    )
    .option('--namespace <name>', 'namespace; default: the default namespace')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only show what would be deleted')
    .addHelpText('after', examples('keys remove cart.title --namespace shop', 'keys remove "errors.*" --dry-run'))
    .action(act(remove))
}

async function add(context: CommandContext, options: AddOptions, key: string) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const { description, codeDescription, charactersLimit, tag: tags, dryRun = false } = options
  const texts = (options.text ?? []).map(([language, text]) => ({ language, text }))
  const appNamespace = options.namespace ?? config.defaultNamespace
  const namespace = serviceNamespace(appNamespace, config)
  const tooLong = texts.find(({ text }) => charactersLimit !== undefined && [...text].length > charactersLimit)
  if (tooLong) throw new UsageError(`the text for ${tooLong.language} has more than ${charactersLimit} characters`)
  if (!dryRun) {
    const request = { key, namespace, description, codeDescription, charactersLimit, tags: tags && [...tags] }
    await client.keys.create(request).catch((cause: unknown) => {
      if (!isApiError(cause, 'API_CONFLICT')) throw cause
      throw new LocalizationError(`the key ${quoted(key)} exists already in ${appNamespace}`, {
        code: 'API_CONFLICT',
        hint: 'Nothing was changed. To change its texts, edit the files and push them. To replace it, remove it first.',
        cause,
      })
    })
    for (const { language, text } of texts)
      await client.translations.set({ key, namespace, language: serviceLanguage(language, config), text })
  }
  const data: z.infer<typeof keysAddResult> = { dryRun, namespace: appNamespace, key, texts }
  const verb = dryRun ? 'would add' : 'added'
  return { data, text: () => `${verb} ${appNamespace} ${quoted(key)} with ${count(texts.length, 'text')}` }
}

async function remove(context: CommandContext, options: RemoveOptions, names: string[]) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const { namespace: appNamespace = config.defaultNamespace, yes = false, dryRun = false } = options
  const namespace = serviceNamespace(appNamespace, config)
  const found = await findKeys(client, namespace, names)
  const keys = [...found].map(([key, languages]) => ({ key, texts: languages.size }))
  listKeys(context, appNamespace, keys)
  const languages = new Set([...found.values()].flatMap((each) => [...each]))
  const question = `Delete ${count(keys.length, 'key')} with their texts in ${count(languages.size, 'language')}?`
  // Without a terminal, keys that are named one by one are deleted without a question.
  const isExact = names.every((name) => found.has(name) || !isGlob(name))
  const isSure = yes || (isExact && !context.io.canAsk)
  const go = !dryRun && keys.length > 0 && (await confirm(context, question, { yes: isSure }))
  const failures = go ? await deleteKeys(client, namespace, keys) : []
  const notFound = names.filter((name) => !isGlob(name) && !found.has(name))
  const removed = go || dryRun ? keys : []
  const data: z.infer<typeof keysRemoveResult> = { dryRun, namespace: appNamespace, removed, notFound, failures }
  const failed = notFound.length > 0 || failures.length > 0 || (!dryRun && !go)
  const verb = dryRun ? 'would delete' : 'deleted'
  const text = () =>
    [
      `${verb} ${removed.length === 0 && !dryRun ? 'nothing' : count(removed.length - failures.length, 'key')}`,
      ...notFound.map((name) => `not found: ${quoted(name)}`),
      ...failures.map(printable),
    ].join('\n')
  return { data, failed, text }
}

interface FoundKey {
  readonly key: string
  readonly texts: number
}

function listKeys({ out }: CommandContext, namespace: string, keys: readonly FoundKey[]): void {
  for (const { key, texts } of keys.slice(0, 20)) out.say(`  ${namespace} ${quoted(key)} (${count(texts, 'text')})`)
  if (keys.length > 20) out.say(`  and ${count(keys.length - 20, 'more key', 'more keys')}`)
}

/** Returns what the service says about keys that it did not delete. */
async function deleteKeys(client: Client, namespace: string, keys: readonly FoundKey[]): Promise<string[]> {
  const { failures } = await client.keys.deleteMany(keys.map(({ key }) => ({ key, namespace })))
  return failures.map(({ message }) => message)
}

/** Existing keys, with the languages that have a text. A name of a key is that key, even if it looks like a glob. */
async function findKeys(
  client: Client,
  namespace: string,
  names: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  const search = async (isWanted: (key: string) => boolean, query: { key?: string } = {}) => {
    for (const textStatus of ['NOT_EMPTY', 'EMPTY'] as const)
      for await (const { key, language, text } of client.translations.queryAll({ namespace, textStatus, ...query })) {
        if (!isWanted(key)) continue
        const languages = found.get(key) ?? new Set()
        found.set(key, text === '' ? languages : languages.add(language))
      }
  }
  if (names.length > 20) await search((key) => names.includes(key))
  else for (const name of names) await search((key) => key === name, { key: name })
  const globs = names.filter((name) => isGlob(name) && !found.has(name))
  const options = { dot: true, nonegate: true, nobrace: true, noextglob: true, nobracket: true }
  if (globs.length > 0) await search(picomatch(globs, options))
  return found
}

function isGlob(name: string): boolean {
  return name.includes('*')
}
