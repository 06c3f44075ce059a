/** `localization keys add|remove` adds and removes keys. */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import { isApiError } from '../../api/errors.ts'
import { keyGlob, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import { LocalizationError } from '../../errors.ts'
import { printable } from '../../shared/escape.ts'
import { count } from '../../shared/figures.ts'
import { split } from '../../shared/split.ts'
import { confirm, defineCommand, defineGroup, flag, list, pair, UsageError, value, wholeNumber } from '../command.ts'
import { listOf, quoted } from '../text.ts'

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

const namespace = value('<name>', 'namespace; default: the default namespace')

const add = defineCommand({
  description: 'Create a key and the given texts. An existing key is an error.',
  examples: ['keys add cart.title --namespace shop --text en="Your cart" --text pl="Koszyk"'],
  options: {
    namespace,
    description: value('<text>', 'description for translators'),
    codeDescription: value('<text>', 'description from the code, which translators cannot edit'),
    tag: list('<tag>', 'tag (repeatable, at most five)'),
    charactersLimit: value('<number>', 'maximum length of a text', wholeNumber),
    text: list('<language=text>', 'text in one language (repeatable)', pair(String)),
    dryRun: flag('only show what would be done'),
  },
  result: keysAddResult,
  async work(context, { text, tag, dryRun, ...options }, key = '') {
    const [config, client] = await Promise.all([context.config(), context.client()])
    const { description, codeDescription, charactersLimit } = options
    const texts = (text ?? []).map(([language, text]) => ({ language, text }))
    const appNamespace = options.namespace ?? config.defaultNamespace
    const namespace = serviceNamespace(appNamespace, config)
    const tooLong = texts.find(({ text }) => charactersLimit !== undefined && [...text].length > charactersLimit)
    if (tooLong) throw new UsageError(`the text for ${tooLong.language} has more than ${charactersLimit} characters`)
    if (!dryRun) {
      const request = { key, namespace, description, codeDescription, charactersLimit, tags: tag && [...tag] }
      await client.keys.create(request).catch((cause: unknown) => {
        if (!isApiError(cause, 'API_CONFLICT')) throw cause
        throw new LocalizationError(`the key ${quoted(key)} already exists in ${appNamespace}`, {
          code: 'API_CONFLICT',
          hint: 'Nothing was changed. To change its texts, edit the files and push them. To replace it, remove it first.',
          cause,
        })
      })
      for (const { language, text } of texts) {
        const change = { key, namespace, language: serviceLanguage(language, config), text }
        await client.translations.set(change).catch((cause: unknown) => {
          if (!isApiError(cause) || context.signal.aborted) throw cause
          throw new LocalizationError(
            `the key ${quoted(key)} was created, but not its text in ${language}: ${cause.message}`,
            { code: cause.code, cause },
          )
        })
      }
    }
    return { data: { dryRun, namespace: appNamespace, key, texts } }
  },
  text: ({ data: { dryRun, namespace, key, texts } }) =>
    `${dryRun ? 'would add' : 'added'} ${namespace} ${quoted(key)} with ${count(texts.length, 'text')}`,
})

const remove = defineCommand({
  description:
    'Delete keys with their texts in every language. Takes globs such as "errors.*". Asks before it deletes.',
  examples: ['keys remove cart.title --namespace shop', 'keys remove "errors.*" --dry-run'],
  options: { namespace, yes: flag('do not ask'), dryRun: flag('only show what would be deleted') },
  result: keysRemoveResult,
  async work(context, { yes, dryRun, ...options }, ...names) {
    const [config, client] = await Promise.all([context.config(), context.client()])
    const appNamespace = options.namespace ?? config.defaultNamespace
    const namespace = serviceNamespace(appNamespace, config)
    const found = await findKeys(client, namespace, names)
    const keys = [...found].map(([key, texts]) => ({ key, texts: texts.size }))
    const line = ({ key, texts }: (typeof keys)[number]) => `  ${appNamespace} ${quoted(key)} (${count(texts, 'text')})`
    for (const each of listOf(keys, 20, line, (rest) => `  and ${count(rest, 'more key')}`)) context.out.say(each)
    const languages = new Set([...found.values()].flatMap((each) => [...each.keys()]))
    const question = `Delete ${count(keys.length, 'key')} with their texts in ${count(languages.size, 'language')}?`
    // If there is no terminal to ask on, keys that are named exactly are deleted without confirmation.
    const isExact = names.every((name) => found.has(name) || !isGlob(name))
    const isSure = yes || (isExact && !context.io.canAsk)
    const go = !dryRun && keys.length > 0 && (await confirm(context, question, isSure))
    const now = go && !isSure ? await findKeys(client, namespace, names) : found
    const [same, changed] = split(keys, ({ key }) => isDeepStrictEqual(now.get(key), found.get(key)))
    for (const { key } of changed)
      context.out.warn(`not deleted: ${appNamespace} ${quoted(key)} was changed on the service in the meantime`)
    const deletes = go && same.length > 0
    const deleted = deletes
      ? await client.keys.deleteMany(same.map(({ key }) => ({ key, namespace })))
      : { failures: [] }
    const failures = deleted.failures.map(({ message }) => message)
    const notFound = names.filter((name) => !isGlob(name) && !found.has(name))
    const removed = go || dryRun ? same : []
    return {
      data: { dryRun, namespace: appNamespace, removed, notFound, failures },
      failed: notFound.length + failures.length + changed.length > 0 || (!dryRun && !go),
    }
  },
  text({ data: { dryRun, removed, notFound, failures } }) {
    const verb = dryRun ? 'would delete' : 'deleted'
    return [
      `${verb} ${removed.length === 0 && !dryRun ? 'nothing' : count(removed.length - failures.length, 'key')}`,
      ...notFound.map((name) => `not found: ${quoted(name)}`),
      ...failures.map(printable),
    ].join('\n')
  },
})

export const command = defineGroup('Add keys to the service, or remove them.', {
  'add <key>': add,
  'remove <key...>': remove,
})

/**
 * The existing keys, with their texts by language. A name that is exactly an existing key selects only that key,
 * even if the name looks like a glob.
 */
async function findKeys(client: Client, namespace: string, names: readonly string[]) {
  const found = new Map<string, Map<string, string>>()
  const search = async (isWanted: (key: string) => boolean, query: { key?: string } = {}) => {
    for (const textStatus of ['NOT_EMPTY', 'EMPTY'] as const)
      for await (const { key, language, text } of client.translations.queryAll({ namespace, textStatus, ...query })) {
        if (!isWanted(key)) continue
        const texts = found.get(key) ?? new Map<string, string>()
        found.set(key, text === '' ? texts : texts.set(language, text))
      }
  }
  if (names.length > 20) await search((key) => names.includes(key))
  else for (const name of names) await search((key) => key === name, { key: name })
  const globs = names.filter((name) => isGlob(name) && !found.has(name))
  const options = { nonegate: true, nobrace: true, noextglob: true, nobracket: true }
  const matches = globs.map((glob) => keyGlob(glob, options))
  if (globs.length > 0) await search((key) => matches.some((isMatch) => isMatch(key)))
  return found
}

function isGlob(name: string): boolean {
  return name.includes('*')
}
