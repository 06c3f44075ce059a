/** `localization check --unused`, `--missing-in-code`, `--remove`. */
import type { Finding } from '../../catalog/finding.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { LocalizationError } from '../../errors.ts'
import { displayPath } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { updateTranslationText } from '../../files/update.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { count, grouped } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { PRUNE_LIMIT } from '../../sync/prune.ts'
import { createReferenceCloser } from '../../usage/references.ts'
import { readSourcesUsage, type SourcesUsage } from '../../usage/sources/read.ts'
import {
  type KeyName,
  keysOf,
  missingFindings,
  unknownFindings,
  unusedFindings,
  unusedKeys,
} from '../../usage/unused.ts'
import { createUsedKeys, type UsedKeys } from '../../usage/used-keys.ts'
import { type CommandContext, type CommandResult, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { withCustomers } from '../filters.ts'
import { type Paint, quoted } from '../text.ts'
import { type CheckOptions, loadChecked } from './load.ts'
import { type Checked, type CheckResult, createResult, fileFinding, formatAnnotations, formatReport } from './report.ts'

export async function checkKeys(context: CommandContext, options: CheckOptions): Promise<CommandResult> {
  checkOptions(context, options)
  // A key is removed from every language: all languages and customers count, whatever the options select.
  const config = { ...withCustomers(await context.config(), options), languages: undefined }
  const checked = await loadChecked(context, config, options)
  const { catalog, scope } = checked
  const { namespaces } = catalog
  const given = { files: options.source, functions: options.function, namespaces }
  const sources = await readSourcesUsage(config, given, context.signal)
  const used = findUsedKeys(checked, sources, options)
  const keys = keysOf(catalog)
  const unused = unusedKeys(catalog, keys, used, config.keySeparator)
  const wantsUnused = options.unused || options.remove
  const unwanted = wantsUnused ? unused.filter(({ namespace }) => scope.namespace(namespace)) : []
  const removed = options.remove ? await removeKeys(context, checked, options, unwanted, keys.length) : NOTHING
  const isGone = removed.keys.length > 0 && !options.dryRun
  const { defaultLanguage } = assertPrefix(createTranslations(catalog, config))
  const findings: Finding[] = [
    ...checked.files.diagnostics.filter(({ severity }) => severity === 'error').map(fileFinding),
    ...sources.problems.map(sourceFinding),
    ...(wantsUnused ? unknownFindings(used) : []),
    ...(options.missingInCode ? missingFindings(catalog, used, config) : []),
    ...(isGone ? [] : unusedFindings(catalog, unwanted, defaultLanguage)),
  ]
  const usage = {
    sources: sources.files.length,
    keys: keys.length,
    used: keys.length - unused.length,
    whole: catalog.namespaces.filter(used.isWhole),
    dryRun: options.dryRun === true,
    removed: [...removed.keys],
    files: [...removed.files],
  }
  const data = { ...(await createResult(checked, findings, options.strict)), usage }
  const text = (paint: Paint) =>
    options.reporter === 'github'
      ? formatAnnotations(data)
      : [formatReport(data, paint, context.globals.verbose), formatUsage(usage, paint)].join('\n')
  return { data, failed: !data.ok, text }
}

function checkOptions({ io }: CommandContext, options: CheckOptions): void {
  const { remove, yes, dryRun, force } = options
  for (const [name, given] of Object.entries({ '--yes': yes, '--dry-run': dryRun, '--force': force }))
    if (given && !remove) throw new UsageError(`${name} goes with --remove`)
  if (!remove) return
  if (options.language || options.customer)
    throw new UsageError('--remove takes keys out of every language: it goes with --namespace only')
  if (options.service)
    throw new UsageError('--remove is about the files; delete keys on the service with push --prune or keys remove')
  if (!dryRun && !yes && !io.canAsk)
    throw new UsageError('--remove asks first, and there is nobody to ask here: give --yes, or --dry-run to look first')
}

function findUsedKeys({ config, catalog }: Checked, { modules }: SourcesUsage, options: CheckOptions): UsedKeys {
  const { prune, defaultNamespace, keySeparator, namespacePrefix } = config
  const used = createUsedKeys(modules, {
    defaultNamespace,
    namespaces: catalog.namespaces,
    keySeparator,
    namespacePrefix,
    keep: [...(prune ? prune.keep : []), ...(options.keep ?? [])],
    ...(prune && { onUnknown: prune.onUnknown }),
    ignoreIn: [...(prune ? prune.ignoreIn : []), ...(options.ignoreIn ?? [])],
  })
  const textsOf = (namespace: string) =>
    catalog.parts.filter((part) => part.namespace === namespace).flatMap(({ messages }) => [...messages])
  return createReferenceCloser(catalog.namespaces, textsOf, { keySeparator })(used)
}

function sourceFinding({ file, message, hint }: SourcesUsage['problems'][number]): Finding {
  const text = [`${message}: every key counts as used`, ...(hint === undefined ? [] : [hint])].join('. ')
  return { rule: 'source', severity: 'warning', message: text, place: { file, line: 1, column: 1 } }
}

interface Removed {
  readonly keys: readonly KeyName[]
  /** Files that changed, with `--dry-run` those that would. */
  readonly files: readonly string[]
}

const NOTHING: Removed = { keys: [], files: [] }

async function removeKeys(
  context: CommandContext,
  checked: Checked,
  options: CheckOptions,
  unused: readonly KeyName[],
  total: number,
): Promise<Removed> {
  const broken = checked.files.diagnostics.filter(({ severity }) => severity === 'error').length
  if (broken > 0)
    throw new LocalizationError(`nothing removed: ${count(broken, 'finding')} in the files come first`, {
      code: 'FILE_VALUE',
      hint: 'Run localization check, which names them.',
    })
  if (unused.length === 0) return NOTHING
  listKeys(context, unused, options.dryRun === true)
  if (unused.length > total * PRUNE_LIMIT && !options.force) {
    const share = `${count(unused.length, 'key')} of ${grouped(total)} would go, more than half`
    throw new LocalizationError(`stopped, nothing removed: ${share}`, {
      code: 'DELETION_LIMIT',
      hint: 'Check the option usage.files and --function; --force removes them all the same.',
    })
  }
  const yes = options.yes === true || options.dryRun === true
  const isWanted = await confirm(context, `Remove ${count(unused.length, 'key')} from the files?`, { yes })
  return isWanted ? { keys: unused, files: await removeFromFiles(checked, unused, options.dryRun === true) } : NOTHING
}

function listKeys({ out, globals }: CommandContext, keys: readonly KeyName[], dryRun: boolean): void {
  out.say(`${dryRun ? 'would remove' : 'to remove'}, in every language:`)
  const shown = globals.verbose ? keys : keys.slice(0, 30)
  for (const { namespace, key } of shown) out.say(`  ${printable(namespace)} ${quoted(key, 100)}`)
  const rest = keys.length - shown.length
  if (rest > 0) out.say(`  and ${count(rest, 'more key', 'more keys')} (--verbose shows all)`)
}

/** Returns the files that change, relative to the root. */
async function removeFromFiles(
  { files, config: { root, keySeparator } }: Checked,
  keys: readonly KeyName[],
  dryRun: boolean,
): Promise<string[]> {
  const changed: string[] = []
  for (const path of files.paths) {
    const part = files.patterns.match(path)
    const options = { keySeparator, file: displayPath(root, path), wrappers: part?.wrappers }
    const content = part && (await readTranslationFile(path, options))
    if (!content?.ok || !part) continue
    const going = keys.filter(({ namespace, key }) => namespace === part.namespace && content.entries.has(key))
    if (going.length === 0) continue
    changed.push(displayPath(root, path))
    if (dryRun) continue
    const changes = new Map(going.map(({ key }) => [key, undefined]))
    const before = Buffer.from(content.bytes).toString('utf8')
    await writeFileAtomic(path, updateTranslationText(before, changes, options))
  }
  return changed
}

function formatUsage(usage: NonNullable<CheckResult['usage']>, paint: Paint): string {
  const { sources, keys, used, whole, removed, files, dryRun } = usage
  const lines = [`${count(used, 'key')} of ${grouped(keys)} used by ${count(sources, 'source file')}`]
  if (whole.length > 0)
    lines.push(paint('dim', `kept whole because of calls whose key is not known: ${whole.map(printable).join(', ')}`))
  const figures = `${count(removed.length, 'key')} from ${count(files.length, 'file')}`
  if (removed.length > 0) lines.push(`${dryRun ? 'would remove' : 'removed'} ${figures}`)
  return lines.join('\n')
}
