/** `localization check` with `--unused`, `--missing-in-code` or `--remove` compares keys with the code. */
import type { Finding } from '../../catalog/finding.ts'
import { nameFilter } from '../../catalog/names.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns } from '../../files/patterns.ts'
import { isLanguage } from '../../shared/language-name.ts'
import { createTextFinder, findUsedKeys, ignoredIn } from '../../usage/sources/find.ts'
import { fileFilter, resolveIgnored } from '../../usage/sources/list.ts'
import { readSourcesUsage, type SourceProblem, type SourcesUsage } from '../../usage/sources/read.ts'
import { keysOf, missingFindings, unknownFindings, unusedFindings, unusedKeys } from '../../usage/unused.ts'
import { type CommandContext, UsageError } from '../command.ts'
import { withCustomers } from '../filters.ts'
import { NOTHING, removeKeys } from './remove.ts'
import { type CheckResult, createResult, fileFinding, judge } from './report.ts'
import { type CheckOptions, loadChecked } from './texts.ts'

export async function checkKeys(context: CommandContext, options: CheckOptions) {
  checkOptions(context, options)
  // A key is removed from every language, so languages and customers that the options exclude are read too.
  const given = withCustomers(await context.config(), options)
  const config = { ...given, languages: await languageExclusions(given) }
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
  const unwanted = inScope.filter((name) => unnamed.has(name))
  const input = { checked, options, total: keys.length }
  const removed = options.remove ? await removeKeys(context, unwanted, input) : NOTHING
  const isGone = removed.keys.length > 0 && !options.dryRun
  const { defaultLanguage } = assertPrefix(createTranslations(catalog, config))
  const findings: Finding[] = [
    ...checked.files.diagnostics.filter(({ severity }) => severity === 'error').map(fileFinding),
    ...sources.problems.map(sourceFinding),
    ...globFindings(config, sources, options),
    ...(wantsUnused ? unknownFindings(used, keys) : []),
    ...(options.missingInCode ? missingFindings(catalog, used, config) : []),
    ...unusedFindings(
      catalog,
      isGone ? inScope.filter((name) => !unnamed.has(name)) : inScope,
      defaultLanguage,
      textOf,
    ),
  ]
  const isUnused = new Set(unused)
  const judgeKey = (name: (typeof keys)[number]) => {
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
    removed: [...removed.keys],
    files: [...removed.files],
  }
  const data: CheckResult = { ...(await createResult(checked, findings, options.strict)), usage }
  return { data, failed: !data.ok }
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
  const unmatched = resolveIgnored(config.root, ignoredIn(config, options.ignoreIn)).missing.filter((glob) => {
    return !files.some(fileFilter([glob]))
  })
  const ignored = unmatched.map((glob) => `prune.ignoreIn: ${JSON.stringify(glob)} matches no file`)
  return [...warnings, ...ignored].map((message) => ({ rule: 'source', severity: 'warning', message, place: {} }))
}

function sourceFinding({ message, hint, ...place }: SourceProblem): Finding {
  const text = [`${message}: every key counts as used`, ...(hint === undefined ? [] : [hint])].join('. ')
  return { rule: 'source', severity: 'warning', message: text, place }
}
