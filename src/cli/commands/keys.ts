/** `localization keys add|remove`. */

import picomatch from 'picomatch'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import { isApiError } from '../../api/errors.ts'
import type { KeyReference, Translation } from '../../api/schemas.ts'
import { appLanguage, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
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

export const addKeys: AddCommand = (program, act) => {
  const keys = program
    .command('keys')
    .summary('add keys to the service, or remove them')
    .description("The service's translation keys.")
  keys
    .command('add <key>')
    .description('Create a key, and texts for it where they are given. A key that exists is an error.')
    .option('--namespace <name>', 'namespace; otherwise the default one')
    .option('--description <text>', 'description for translators')
    .option('--code-description <text>', 'description from the code, which translators cannot edit')
    .option('--tag <tag>', 'tag, five at most (repeatable)', collect)
    .option('--characters-limit <number>', 'longest text', wholeNumber)
    .option('--text <language=text>', 'text of the key (repeatable)', collectPairs(String))
    .option('--dry-run', 'only say what would be done')
    .addHelpText('after', examples('keys add cart.title --namespace shop --text en="Your cart" --text pl="Koszyk"'))
    .action(act(add))
  keys
    .command('remove <key...>')
    .description('Delete keys with their texts in every language. A glob such as "errors.*" names many; it asks first.')
    .option('--namespace <name>', 'namespace; otherwise the default one')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only show what would be deleted')
    .addHelpText('after', examples('keys remove cart.title --namespace shop', 'keys remove "errors.*" --dry-run'))
    .action(act(remove))
}

async function add(context: CommandContext, options: AddOptions, key: string) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const { description, codeDescription, charactersLimit, tag, dryRun = false } = options
  const texts = (options.text ?? []).map(([language, text]) => ({ language, text }))
  const appNamespace = options.namespace ?? config.defaultNamespace
  const namespace = serviceNamespace(appNamespace, config)
  for (const { language, text } of texts) {
    if (charactersLimit !== undefined && [...text].length > charactersLimit)
      throw new UsageError(`the text for ${language} has more than ${charactersLimit} characters`)
  }
  if (!dryRun) {
    try {
      await client.keys.create({
        key,
        namespace,
        ...(description !== undefined && { description }),
        ...(codeDescription !== undefined && { codeDescription }),
        ...(charactersLimit !== undefined && { charactersLimit }),
        ...(tag && { tags: [...tag] }),
      })
    } catch (error) {
      if (!isApiError(error, 'API_CONFLICT')) throw error
      throw new LocalizationError(`the key ${quoted(key)} exists already in ${appNamespace}`, {
        code: 'API_CONFLICT',
        hint: 'Nothing was changed. To change its texts, edit the files and push them; to make it anew, remove it first.',
        cause: error,
      })
    }
    for (const { language, text } of texts)
      await client.translations.set({ key, namespace, language: serviceLanguage(language, config), text })
  }
  const data: z.infer<typeof keysAddResult> = { dryRun, namespace: appNamespace, key, texts }
  return {
    data,
    text: () => `${dryRun ? 'would add' : 'added'} ${appNamespace} ${quoted(key)} with ${count(texts.length, 'text')}`,
  }
}

async function remove(
  context: CommandContext,
  { namespace, yes = false, dryRun = false }: { namespace?: string; yes?: boolean; dryRun?: boolean },
  names: string[],
) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const appNamespace = namespace ?? config.defaultNamespace
  const known = await findKeys(client, serviceNamespace(appNamespace, config), names)
  const notFound = names.filter((name) => !isGlob(name) && !known.has(name))
  const keys = [...known].map(([key, languages]) => ({ key, texts: languages.size }))
  for (const { key, texts } of keys.slice(0, 20))
    context.out.say(`  ${appNamespace} ${quoted(key)} (${count(texts, 'text')})`)
  if (keys.length > 20) context.out.say(`  and ${count(keys.length - 20, 'more key', 'more keys')}`)
  const languages = new Set(
    [...known.values()].flatMap((each) => [...each].map((language) => appLanguage(language, config))),
  )
  const question = `Delete ${count(keys.length, 'key')} with their texts in ${count(languages.size, 'language')}?`
  const asksMany = names.some((name) => !known.has(name) && isGlob(name))
  const go =
    !dryRun && keys.length > 0 && (await confirm(context, question, { yes: yes || (!asksMany && !context.io.canAsk) }))
  const failures: string[] = []
  if (go) {
    const references: KeyReference[] = keys.map(({ key }) => ({
      key,
      namespace: serviceNamespace(appNamespace, config),
    }))
    const [only] = references
    if (references.length === 1 && only) await client.keys.delete(only)
    else failures.push(...(await client.keys.deleteMany(references)).failures.map(({ message }) => message))
  }
  const data: z.infer<typeof keysRemoveResult> = {
    dryRun,
    namespace: appNamespace,
    removed: go || dryRun ? keys : [],
    notFound,
    failures,
  }
  return {
    data,
    failed: notFound.length > 0 || failures.length > 0 || (!dryRun && !go),
    text: () =>
      [
        dryRun
          ? `would delete ${count(keys.length, 'key')}`
          : go
            ? `deleted ${count(keys.length - failures.length, 'key')}`
            : 'deleted nothing',
        ...notFound.map((name) => `not found: ${quoted(name)}`),
        ...failures.map(printable),
      ].join('\n'),
  }
}

/** Keys that are there, with the languages that have a text. A name that is a key is that key, whatever characters it holds. */
async function findKeys(
  client: Client,
  namespace: string,
  names: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  const note = ({ key, language, text }: Translation) => {
    const languages = found.get(key) ?? new Set()
    found.set(key, languages)
    if (text !== '') languages.add(language)
  }
  const rows = async (query: { key?: string }, isWanted: (key: string) => boolean) => {
    for (const textStatus of ['NOT_EMPTY', 'EMPTY'] as const)
      for await (const row of client.translations.queryAll({ namespace, textStatus, ...query }))
        if (isWanted(row.key)) note(row)
  }
  if (names.length <= 20) for (const key of names) await rows({ key }, (name) => name === key)
  else await rows({}, (name) => names.includes(name))
  const globs = names
    .filter((name) => isGlob(name) && !found.has(name))
    .map((name) => picomatch(name, { dot: true, nonegate: true, nobrace: true, noextglob: true, nobracket: true }))
  if (globs.length > 0) await rows({}, (name) => globs.some((matches) => matches(name)))
  return found
}

function isGlob(name: string): boolean {
  return name.includes('*')
}
