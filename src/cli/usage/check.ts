/** `localization check --unused`, `--missing-in-code`, `--remove`. */
import { relative } from 'node:path'
import { fillGaps } from '../../catalog/merge.ts'
import type { Catalog } from '../../catalog/model.ts'
import { createTranslations } from '../../catalog/translations.ts'
import type { Finding } from '../../check/types.ts'
import { findUnused, type KeyName, missingFindings, unknownFindings, unusedFindings } from '../../check/usage.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { readTranslationFile } from '../../files/read.ts'
import { updateTranslationText } from '../../files/write.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { count, grouped } from '../../shared/figures.ts'
import { toPosix } from '../../shared/paths.ts'
import { printable } from '../../shared/printable.ts'
import { type FilesResult, loadFromFiles } from '../../sources/files.ts'
import { PRUNE_LIMIT } from '../../sync/prune.ts'
import { closeOverReferences } from '../../usage/references.ts'
import { createUsedKeys, type UsedKeys } from '../../usage/used-keys.ts'
import type { CheckOptions, CheckParts, CheckResult } from '../check-result.ts'
import { type CommandContext, type CommandResult, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { scopeOf, withCustomers } from '../filters.ts'
import { type Paint, quoted } from '../text.ts'
import { readSourcesUsage, type SourcesUsage } from './read.ts'

export async function checkUsage(
  context: CommandContext,
  options: CheckOptions,
  parts: CheckParts,
): Promise<CommandResult> {
  checkOptions(context, options)
  // A key is removed from every language, so all languages and customers count, whatever the options select.
  const config = { ...withCustomers(await context.config(), options), languages: undefined }
  const files = await loadFromFiles(config)
  const broken = files.diagnostics.filter(({ severity }) => severity === 'error')
  const fromService = options.service === true || (files.fileCount === 0 && config.service.baseUrl !== undefined)
  const catalog = fromService
    ? fillGaps(await parts.serviceCatalog(context, config, files.catalog), files.catalog)
    : files.catalog
  if (catalog.languages.length === 0)
    throw new LocalizationError(`there is nothing to check: no file matches ${config.files.join(', ')}`, {
      code: 'CATALOG_EMPTY',
      hint: 'Check the option files, or give --service.',
    })
  const sources = await readSourcesUsage(config, { files: options.source, functions: options.function }, context.signal)
  const used = usedKeys(config, catalog, sources, options)
  const scope = scopeOf(options)
  const wantsUnused = options.unused === true || options.remove === true
  const unused = wantsUnused ? findUnused(catalog, used).filter(({ namespace }) => scope.namespace(namespace)) : []
  const { defaultLanguage } = createTranslations(catalog, config)
  const findings: Finding[] = [
    ...sources.problems.map(({ file, message, hint }): Finding => {
      const text = `${message}: every key counts as used${hint === undefined ? '' : `. ${hint}`}`
      return { rule: 'source', severity: 'warning', message: text, place: { file, line: 1, column: 1 } }
    }),
    ...(wantsUnused ? unknownFindings(used) : []),
    ...(options.missingInCode ? missingFindings(catalog, used, config.keySeparator) : []),
  ]
  const removed = options.remove
    ? await remove(context, config, files, unused, { options, broken: broken.length, total: keysOf(catalog) })
    : undefined
  const isGone = removed !== undefined && !options.dryRun && removed.keys.length > 0
  if (!isGone) for (const finding of unusedFindings(catalog, unused, defaultLanguage)) findings.push(finding)
  const total = keysOf(catalog)
  const data: CheckResult = {
    ...(await parts.result(
      { catalog, scope, findings, strict: options.strict === true },
      parts.createLocator(config, files),
    )),
    usage: {
      sources: sources.files.length,
      keys: total,
      used: total - findUnused(catalog, used).length,
      whole: catalog.namespaces.filter(used.isWhole),
      dryRun: options.dryRun === true,
      removed: removed?.keys.map(({ namespace, key }) => ({ namespace, key })) ?? [],
      files: removed?.files.map((file) => toPosix(relative(config.root, file))) ?? [],
    },
  }
  return {
    data,
    failed: !data.ok,
    text: (paint: Paint) => {
      const shown = parts.show(data, options, paint, context.globals.verbose)
      return options.reporter === 'github' ? shown : [shown, summary(data, paint)].join('\n')
    },
  }
}

function checkOptions({ io }: CommandContext, options: CheckOptions): void {
  for (const [name, given] of [
    ['--yes', options.yes],
    ['--dry-run', options.dryRun],
    ['--force', options.force],
  ] as const)
    if (given && !options.remove) throw new UsageError(`${name} goes with --remove`)
  if (options.remove && (options.language || options.customer))
    throw new UsageError('--remove takes keys out of every language: it goes with --namespace only')
  if (options.remove && options.service)
    throw new UsageError('--remove is about the files; delete keys on the service with push --prune or keys remove')
  if (options.remove && !options.dryRun && !options.yes && !io.canAsk)
    throw new UsageError('--remove asks first, and there is nobody to ask here: give --yes, or --dry-run to look first')
}

function usedKeys(config: ResolvedConfig, catalog: Catalog, sources: SourcesUsage, options: CheckOptions): UsedKeys {
  const { prune, defaultNamespace, keySeparator } = config
  const used = createUsedKeys(sources.modules, {
    defaultNamespace,
    namespaces: catalog.namespaces,
    keySeparator,
    keep: [...(prune ? prune.keep : []), ...(options.keep ?? [])],
    ...(prune && { onUnknown: prune.onUnknown }),
    ignoreIn: [...(prune ? prune.ignoreIn : []), ...(options.ignoreIn ?? [])],
  })
  return closeOverReferences(
    used,
    catalog.namespaces,
    (namespace) =>
      catalog.parts.filter((part) => part.namespace === namespace).flatMap(({ messages }) => [...messages]),
    { keySeparator },
  )
}

function keysOf(catalog: Catalog): number {
  const all = new Set<string>()
  for (const { namespace, messages } of catalog.parts)
    for (const key of messages.keys()) all.add(JSON.stringify([namespace, key]))
  return all.size
}

interface RemoveInput {
  readonly options: CheckOptions
  /** How many files have an error. */
  readonly broken: number
  readonly total: number
}

async function remove(
  context: CommandContext,
  { keySeparator }: ResolvedConfig,
  files: FilesResult,
  unused: readonly KeyName[],
  { options, broken, total }: RemoveInput,
): Promise<{ readonly keys: readonly KeyName[]; readonly files: readonly string[] }> {
  const { out, globals } = context
  if (broken > 0)
    throw new LocalizationError(`nothing removed: ${count(broken, 'finding')} in the files come first`, {
      code: 'FILE_VALUE',
      hint: 'Run localization check, which names them.',
    })
  if (unused.length === 0) return { keys: [], files: [] }
  out.say(`${options.dryRun ? 'would remove' : 'to remove'}, in every language:`)
  const shown = globals.verbose ? unused : unused.slice(0, 30)
  for (const { namespace, key } of shown) out.say(`  ${printable(namespace)} ${quoted(key, 100)}`)
  if (shown.length < unused.length)
    out.say(`  and ${count(unused.length - shown.length, 'more key', 'more keys')} (--verbose shows all)`)
  if (unused.length > total * PRUNE_LIMIT && !options.force)
    throw new LocalizationError(
      `stopped, nothing removed: ${count(unused.length, 'key')} of ${grouped(total)} would go, more than half`,
      {
        code: 'DELETION_LIMIT',
        hint: 'Check the option usage.files and --function; --force removes them all the same.',
      },
    )
  const yes = options.yes === true || options.dryRun === true
  if (!(await confirm(context, `Remove ${count(unused.length, 'key')} from the files?`, { yes })))
    return { keys: [], files: [] }
  const changed: string[] = []
  for (const path of files.paths) {
    const part = files.patterns.match(path)
    const content = part && (await readTranslationFile(path, { keySeparator }))
    if (!content?.ok || !part) continue
    const going = unused.filter(({ namespace, key }) => namespace === part.namespace && content.entries.has(key))
    if (going.length === 0) continue
    changed.push(path)
    if (options.dryRun) continue
    const changes = new Map(going.map(({ key }) => [key, undefined]))
    await writeFileAtomic(
      path,
      updateTranslationText(Buffer.from(content.bytes).toString('utf8'), changes, { keySeparator, file: path }),
    )
  }
  return { keys: unused, files: changed }
}

function summary({ usage }: CheckResult, paint: Paint): string {
  if (!usage) return ''
  const { sources, keys, used, whole, removed, files, dryRun } = usage
  const lines = [`${count(used, 'key')} of ${grouped(keys)} used by ${count(sources, 'source file')}`]
  if (whole.length > 0)
    lines.push(paint('dim', `kept whole because of calls whose key is not known: ${whole.map(printable).join(', ')}`))
  if (removed.length > 0)
    lines.push(
      `${dryRun ? 'would remove' : 'removed'} ${count(removed.length, 'key')} from ${count(files.length, 'file')}`,
    )
  return lines.join('\n')
}
