/**
 * `localization check` with `--unused`, `--missing-in-code` or `--remove`: compares keys with the code, and removes
 * them.
 */
import { readFile } from 'node:fs/promises'
import type { Finding } from '../../catalog/finding.ts'
import { nameFilter } from '../../catalog/names.ts'
import { keyId } from '../../catalog/text-id.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { updateTranslationText } from '../../files/update.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { printable } from '../../shared/escape.ts'
import { count, grouped } from '../../shared/figures.ts'
import { isLanguage } from '../../shared/language-name.ts'
import { displayPath } from '../../shared/paths.ts'
import { PRUNE_LIMIT } from '../../sync/prune.ts'
import { createTextFinder, findUsedKeys, ignoredIn } from '../../usage/sources/find.ts'
import { unmatchedGlobs } from '../../usage/sources/list.ts'
import { readSourcesUsage, type SourceProblem, type SourcesUsage } from '../../usage/sources/read.ts'
import {
  type KeyName,
  keysOf,
  missingFindings,
  unknownFindings,
  unusedFindings,
  unusedKeys,
} from '../../usage/unused.ts'
import { type CommandContext, confirm, UsageError } from '../command.ts'
import { withCustomers } from '../filters.ts'
import { coloredDiff, listOf, quoted, unifiedDiff } from '../text.ts'
import { type Checked, type CheckResult, createResult, fileFinding, judge } from './report.ts'
import { type CheckOptions, loadChecked } from './texts.ts'

export async function checkKeys(context: CommandContext, options: CheckOptions) {
  checkOptions(context, options)
  // A key is removed from every language, so languages and customers that the options exclude are read too.
  const given = withCustomers(await context.config(), options)
  const config = { ...given, languages: await languageExclusions(given) }
  const judged = await judgeKeys(context, config, options)
  const { checked, sources, used, keys, unused, textOf, inScope, unwanted, wantsUnused } = judged
  const { catalog } = checked
  const judgeAgain = () => judgeKeys(context, config, options)
  const changes = options.remove ? await removeKeys(context, judged, judgeAgain, options) : undefined
  const isUnwanted = new Set(unwanted)
  const { defaultLanguage } = assertPrefix(createTranslations(catalog, config))
  const isBlind = wantsUnused && keys.length > 0 && keys.length === unused.length
  const findings: Finding[] = [
    ...(isBlind ? [nothingUsed(sources)] : []),
    ...checked.files.diagnostics.filter(({ severity }) => severity === 'error').map(fileFinding),
    ...sources.problems.map(sourceFinding),
    ...globFindings(config, sources, options),
    ...(wantsUnused ? unknownFindings(used, keys) : []),
    ...(options.missingInCode ? missingFindings(catalog, used, config) : []),
    ...unusedFindings(
      catalog,
      changes && !options.dryRun ? inScope.filter((name) => !isUnwanted.has(name)) : inScope,
      defaultLanguage,
      textOf,
    ),
  ]
  const isUnused = new Set(unused)
  const judgeKey = (name: KeyName) => {
    const reasonOf = isUnused.has(name) ? textOf : used.reasonOf
    return judge(name, isUnused.has(name), reasonOf(name.namespace, name.key))
  }
  const usage = {
    sources: sources.files.length,
    keys: keys.length,
    used: keys.length - unused.length,
    whole: catalog.namespaces.filter(used.isWhole),
    ...(wantsUnused && { judged: keys.map(judgeKey) }),
    dryRun: options.dryRun,
    removed: changes ? unwanted : [],
    files: changes?.map(({ name }) => name) ?? [],
  }
  const data: CheckResult = { ...(await createResult(checked, findings, options.strict)), usage }
  return { data, failed: !data.ok }
}

type Judged = Awaited<ReturnType<typeof judgeKeys>>

/** Reads the files and the sources. */
async function judgeKeys(context: CommandContext, config: ResolvedConfig, options: CheckOptions) {
  const checked = await loadChecked(context, config, options)
  const { catalog, scope } = checked
  const { namespaces } = catalog
  const wantsUnused = options.unused || options.remove
  const { source: files, function: functions, ignoreIn } = options
  const what = { files, functions, ignoreIn, namespaces, literals: wantsUnused, names: true }
  const sources = await readSourcesUsage(config, what, context.signal)
  const used = findUsedKeys(checked, sources.modules, options)
  const keys = keysOf(catalog)
  const unused = unusedKeys(catalog, keys, used, config.keySeparator)
  const textOf = wantsUnused ? createTextFinder(sources.modules, config) : () => undefined
  const isNamed = (namespace: string, key: string) => textOf(namespace, key) !== undefined
  const isUsed = (namespace: string, key: string) => used.isUsed(namespace, key) || isNamed(namespace, key)
  const inScope = unused.filter(({ namespace }) => wantsUnused && scope.namespace(namespace))
  const unnamed = new Set(unusedKeys(catalog, keys, { ...used, isUsed }, config.keySeparator))
  /** Keys that the code neither uses nor mentions. */
  const unwanted = inScope.filter((name) => unnamed.has(name))
  return { checked, sources, used, keys, unused, textOf, inScope, unwanted, wantsUnused }
}

/** Excludes files without texts: their language names are neither in `languages` nor valid. */
async function languageExclusions(config: ResolvedConfig): Promise<readonly string[] | undefined> {
  if (!config.languages) return undefined
  const isNamed = nameFilter(config.languages)
  const { files } = await listTranslationFiles(createFilePatterns(config))
  const unlisted = files.map(({ language }) => language).filter((name) => !isNamed(name) && !isLanguage(name))
  return unlisted.length > 0 ? unlisted.map((name) => `!${name}`) : undefined
}

function checkOptions({ io }: CommandContext, options: CheckOptions): void {
  const { remove, yes, dryRun, force } = options
  for (const [name, given] of Object.entries({ '--yes': yes, '--dry-run': dryRun, '--force': force }))
    if (given && !remove) throw new UsageError(`${name} works only with --remove`)
  if (!remove) return
  if (options.language || options.customer)
    throw new UsageError('--remove deletes keys in every language, so its only filter is --namespace')
  if (options.service)
    throw new UsageError(
      '--remove changes the files only; to delete keys on the service, use push --prune or keys remove',
    )
  if (!dryRun && !yes && !io.canAsk)
    throw new UsageError(
      '--remove asks for confirmation, which needs a terminal: use --yes, or --dry-run for a preview',
    )
}

/** Returns a warning for each glob that matches no file. */
function globFindings(config: ResolvedConfig, { files, warnings }: SourcesUsage, options: CheckOptions): Finding[] {
  const unmatched = unmatchedGlobs(config.root, ignoredIn(config, options.ignoreIn), files)
  const ignored = unmatched.map((glob) => `prune.ignoreIn: ${JSON.stringify(glob)} matches no file`)
  return [...warnings, ...ignored].map((message) => ({ rule: 'source', severity: 'warning', message, place: {} }))
}

/** Without this warning, a user whose sources are in an unusual folder would see only that all keys are unused. */
function nothingUsed({ files }: SourcesUsage): Finding {
  const message =
    `no key is used in ${count(files.length, 'source file')}. If the sources are in other files, ` +
    'list these in the option "usage.files", or your own translation function in "usage.functions"'
  return { rule: 'source', severity: 'warning', message, place: {} }
}

function sourceFinding({ message, hint, ...place }: SourceProblem): Finding {
  const text = [`${message}: every key counts as used`, ...(hint === undefined ? [] : [hint])].join('. ')
  return { rule: 'source', severity: 'warning', message: text, place }
}

/**
 * Resolves to the changes of files, which are only planned with `--dry-run`, or to `undefined` if nothing is removed.
 */
async function removeKeys(
  context: CommandContext,
  { checked, keys: { length: total }, unwanted: unused }: Judged,
  judgeAgain: () => Promise<Judged>,
  options: CheckOptions,
) {
  const broken = checked.files.diagnostics.filter(({ severity }) => severity === 'error').length
  if (broken > 0)
    throw new LocalizationError(`nothing removed: ${count(broken, 'finding')} in the files must be fixed first`, {
      code: 'FILE_VALUE',
      hint: 'Run localization check to list them.',
    })
  if (unused.length === 0) return undefined
  listKeys(context, unused, options.dryRun)
  const changes = await changesOf(checked, unused)
  showDiff(context, changes)
  if (unused.length > total * PRUNE_LIMIT && !options.force) {
    const share = `${count(unused.length, 'key')} of ${grouped(total)} would be removed, more than half`
    throw new LocalizationError(`nothing removed: ${share}`, {
      code: 'DELETION_LIMIT',
      hint: 'Check "usage.files" and --function, or remove them anyway with --force.',
    })
  }
  const yes = options.yes || options.dryRun
  const isWanted = await confirm(context, `Remove ${count(unused.length, 'key')} from the files?`, yes)
  if (!isWanted) return undefined
  if (!yes) await assertUnwanted(unused, judgeAgain)
  if (!options.dryRun)
    for (const { path, before, after } of changes)
      await writeFileAtomic(path, after, { confirm: () => assertSame(path, before) })
  return changes
}

function listKeys({ out, globals }: CommandContext, keys: readonly KeyName[], dryRun: boolean): void {
  out.say(`${dryRun ? 'would remove' : 'to remove'}, in every language:`)
  const line = ({ namespace, key }: KeyName) => `  ${printable(namespace)} ${quoted(key, 100)}`
  const rest = (number: number) => `  and ${count(number, 'more key')} (--verbose shows all)`
  for (const each of listOf(keys, globals.verbose ? keys.length : 30, line, rest)) out.say(each)
}

async function changesOf({ files, config: { root, keySeparator } }: Checked, keys: readonly KeyName[]) {
  const changes: { path: string; name: string; before: string; after: string }[] = []
  for (const { path, namespace, wrappers } of files.list) {
    const name = displayPath(root, path)
    const options = { keySeparator, file: name, wrappers }
    const content = await readTranslationFile(path, options)
    if (!content?.ok) continue
    const going = keys.filter((each) => each.namespace === namespace && content.entries.has(each.key))
    if (going.length === 0) continue
    const before = Buffer.from(content.bytes).toString('utf8')
    const after = updateTranslationText(before, new Map(going.map(({ key }) => [key, undefined])), options)
    changes.push({ path, name, before, after })
  }
  return changes
}

const SHOWN_LINES = 60
const SHOWN_LENGTH = 200

function showDiff({ out, globals }: CommandContext, changes: Awaited<ReturnType<typeof changesOf>>): void {
  const lines = changes.flatMap(({ name, before, after }) => [
    out.talk('bold', `--- ${printable(name)}`),
    ...coloredDiff(unifiedDiff(before, after, 0), out.talk, SHOWN_LENGTH),
  ])
  const rest = (number: number) => `and ${count(number, 'more line')} (--verbose shows all)`
  for (const line of listOf(lines, globals.verbose ? lines.length : SHOWN_LINES, String, rest)) out.say(line)
}

/** Throws if one of the keys is no longer unwanted: a source may have been saved during the question. */
async function assertUnwanted(keys: readonly KeyName[], judgeAgain: () => Promise<Judged>): Promise<void> {
  const unwanted = new Set((await judgeAgain()).unwanted.map(keyId))
  const used = keys.find((name) => !unwanted.has(keyId(name)))
  if (!used) return
  const name = `${printable(used.namespace)} ${quoted(used.key, 100)}`
  throw new LocalizationError(`nothing removed: the sources may use ${name} now`, {
    code: 'FILE_WRITE',
    hint: 'Run the command again.',
  })
}

/** Throws if the file was edited while the command was waiting for an answer. */
async function assertSame(path: string, before: string): Promise<void> {
  if ((await readFile(path, 'utf8')) === before) return
  throw new LocalizationError('changed in the meantime: nothing was removed from it', {
    code: 'FILE_WRITE',
    place: { file: path },
    hint: 'Run the command again.',
  })
}
