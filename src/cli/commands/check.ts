/** `localization check`: what continuous integration should stop at. */

import { InvalidArgumentError, Option } from 'commander'
import { fillGaps } from '../../catalog/merge.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import { createTranslations } from '../../catalog/translations.ts'
import { checkCoverage } from '../../check/coverage.ts'
import { checkTexts } from '../../check/texts.ts'
import type { Finding } from '../../check/types.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { type Diagnostic, LocalizationError, type Place } from '../../errors.ts'
import { displayPath } from '../../files/patterns.ts'
import { readTranslationFile, type TranslationFileContent } from '../../files/read.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { type FilesResult, loadFromFiles } from '../../sources/files.ts'
import type { CheckOptions, CheckResult, Found } from '../check-result.ts'
import { type AddCommand, type CommandContext, collect, examples } from '../command.ts'
import { addFilters, type Scope, scopeOf, withCustomers } from '../filters.ts'
import { collectPairs } from '../options.ts'
import type { Paint } from '../text.ts'

export { checkResult } from '../check-result.ts'

type Result = CheckResult

/** Findings of one rule in one language that are listed; the rest is counted. `--json`, `--verbose` and annotations hold all. */
const LISTED = 5

export const addCheck: AddCommand = (program, act) => {
  addFilters(
    program
      .command('check')
      .summary('check texts for continuous integration')
      .description(
        'Check texts for continuous integration. Exits with 1 when it finds an error, with --strict also for a warning.',
      )
      .addOption(new Option('--reporter <name>', 'how findings are shown').choices(['text', 'github']).default('text'))
      .option(
        '--service',
        "check what a build would use: the service's texts, files filling the gaps; otherwise the files",
      )
      .option(
        '--coverage <language=share>',
        'least share of translated texts, such as pl=0.95; adds to the option coverage (repeatable)',
        shares,
      )
      .option(
        '--characters-limit <pattern=number>',
        'longest text of keys, such as "button.*=24" (repeatable)',
        lengths,
      )
      .addOption(
        new Option('--syntax <name>', 'placeholders: {x}, {{x}}, ICU messages')
          .choices(['auto', 'single', 'double', 'icu', 'none'])
          .default('auto'),
      )
      .option('--strict', 'a warning counts as an error')
      .option('--unused', 'instead of the texts: keys that no source uses')
      .option('--missing-in-code', 'instead of the texts: keys that sources use and nothing translates')
      .option('--remove', 'with --unused: take these keys out of the files; shows them and asks first')
      .option('--force', 'with --remove: also more than half of the keys')
      .option('--yes', 'do not ask')
      .option('--dry-run', 'only say what would be removed')
      .option(
        '--source <glob>',
        'sources to read instead of the option usage.files; "!" leaves out (repeatable)',
        collect,
      )
      .option(
        '--function <name>',
        'a translation function of your own, or a hook that returns one (repeatable)',
        collect,
      )
      .option('--keep <pattern>', 'keys that count as used, such as "errors.*" (repeatable)', collect)
      .option(
        '--ignore-in <glob>',
        'sources whose unknown calls keep nothing, such as your own runtime (repeatable)',
        collect,
      ),
  )
    .addHelpText(
      'after',
      examples(
        'check',
        'check --reporter github --coverage pl=0.95',
        'check --service --json',
        'check --unused --missing-in-code',
        'check --remove --dry-run',
      ),
    )
    .action(act(check))
}

async function check(context: CommandContext, options: CheckOptions) {
  if (options.unused || options.missingInCode || options.remove) {
    const { checkUsage } = await import('../usage/check.ts')
    return checkUsage(context, options, { serviceCatalog, createLocator, result, show })
  }
  const config = withCustomers(await context.config(), options)
  const scope = scopeOf(options)
  const files = await loadFromFiles(config)
  const fromService = options.service === true || (files.fileCount === 0 && config.service.baseUrl !== undefined)
  const catalog = fromService ? await serviceCatalog(context, config, files.catalog) : files.catalog
  if (catalog.languages.length === 0 && files.diagnostics.length === 0) throw nothingToCheck(config)
  const findings = [...files.diagnostics.map(fileFinding), ...findIn(catalog, config, scope, options)]
  const data = await result({ catalog, scope, findings, strict: options.strict === true }, createLocator(config, files))
  return { data, failed: !data.ok, text: (paint: Paint) => show(data, options, paint, context.globals.verbose) }
}

/** Findings with their places in files. */
async function result(
  { catalog, scope, findings, strict }: Found,
  locate: (place: Place) => Promise<Place>,
): Promise<Result> {
  const shown = await Promise.all(findings.map(async (finding) => ({ ...finding, place: await locate(finding.place) })))
  const errors = shown.filter(({ severity }) => severity === 'error').length
  const warnings = shown.length - errors
  const checked = scopedCatalog(catalog, scope)
  return {
    ok: errors === 0 && !(strict && warnings > 0),
    languages: checked.languages.map(({ key }) => key),
    namespaces: [...checked.namespaces],
    texts: checked.textCount,
    errors,
    warnings,
    findings: shown.map(({ rule, severity, message, place }) => ({
      rule,
      severity,
      message,
      language: place.language ?? null,
      namespace: place.namespace ?? null,
      key: place.key ?? null,
      customer: place.customer ?? null,
      file: place.file ?? null,
      line: place.line ?? null,
      column: place.column ?? null,
    })),
  }
}

function show(data: Result, { reporter }: CheckOptions, paint: Paint, all: boolean): string {
  return reporter === 'github' ? annotations(data) : report(data, paint, all)
}

function findIn(catalog: Catalog, config: ResolvedConfig, scope: Scope, options: CheckOptions): Finding[] {
  if (catalog.languages.length === 0) return []
  const { defaultLanguage } = createTranslations(catalog, config)
  const minimum = {
    ...config.coverage.minimum,
    ...Object.fromEntries(options.coverage?.map(([name, share]) => [name, Number(share)]) ?? []),
  }
  const wanted = Object.fromEntries(Object.entries(minimum).filter(([language]) => scope.language(language)))
  const { onMissing } = config.coverage
  const texts = checkTexts(catalog, {
    defaultLanguage,
    syntax: options.syntax,
    limits: options.charactersLimit?.map(([pattern, most]) => [pattern, Number(most)] as const) ?? [],
    nested: config.shape === 'nested' && config.keySeparator,
  })
  const coverage =
    onMissing === 'ignore' && !options.coverage
      ? []
      : checkCoverage(scopedNamespaces(catalog, scope), {
          defaultLanguage,
          minimum: wanted,
          // Whoever asks on the command line asks for an answer in the exit code.
          severity: onMissing === 'error' || options.coverage ? 'error' : 'warning',
        })
  return [...texts.filter(({ place }) => inScope(place, scope)), ...coverage]
}

function inScope({ language, namespace, customer }: Place, scope: Scope): boolean {
  return scope.has({ language: language ?? '', namespace: namespace ?? '', customer })
}

/** The service's texts, files filling their gaps, as a build uses them. */
async function serviceCatalog(context: CommandContext, config: ResolvedConfig, files: Catalog): Promise<Catalog> {
  const { readServiceCatalog } = await import('../service-texts.ts')
  return fillGaps(await readServiceCatalog(await context.client(), config, context.signal), files)
}

function scopedCatalog(catalog: Catalog, scope: Scope): Catalog {
  return createCatalog({ parts: catalog.parts.filter((part) => scope.has(part)) })
}

function scopedNamespaces(catalog: Catalog, scope: Scope): Catalog {
  const parts = catalog.parts.filter(({ namespace }) => scope.namespace(namespace))
  return createCatalog({ languages: catalog.languages.filter(({ key }) => scope.language(key)), parts })
}

function fileFinding({ code, severity, message, hint, place = {} }: Diagnostic): Finding {
  const rule =
    code === 'FILE_KEY_COLLISION' || code === 'FILE_DUPLICATE_KEY' || code === 'FILE_NAME_COLLISION'
      ? 'collision'
      : 'file'
  return { rule, severity, message: hint === undefined ? message : `${message.replace(/\.?$/, '.')} ${hint}`, place }
}

/** Where a text stands in a file; files are read again, and only those with findings. */
function createLocator({ root, keySeparator }: ResolvedConfig, files: FilesResult): (place: Place) => Promise<Place> {
  const contents = new Map<string, Promise<TranslationFileContent | undefined>>()
  const read = (path: string) => {
    const known = contents.get(path) ?? readTranslationFile(path, { keySeparator, file: displayPath(root, path) })
    contents.set(path, known)
    return known
  }
  return async (place) => {
    const { language, namespace, key, customer } = place
    if (place.file !== undefined || language === undefined || namespace === undefined || key === undefined) return place
    for (const path of files.filesOf(language, namespace)) {
      const file = files.patterns.match(path)
      if (file?.customer !== customer) continue
      const position = (await read(path))?.positionOf(key)
      if (position) return { ...place, file: displayPath(root, path), ...position }
    }
    return place
  }
}

function report(
  { findings, errors, warnings, languages, namespaces, texts, ok }: Result,
  paint: Paint,
  all: boolean,
): string {
  const lines: string[] = []
  const groups = new Map<string, Result['findings']>()
  for (const finding of findings) {
    const id = JSON.stringify([finding.rule, finding.language, finding.namespace])
    groups.set(id, [...(groups.get(id) ?? []), finding])
  }
  for (const group of groups.values()) {
    const [first] = group
    if (!all && first?.rule === 'empty' && group.length > 1) {
      lines.push(line({ ...first, message: `${count(group.length, 'text')} are empty; the first one here` }, paint))
      continue
    }
    for (const finding of all ? group : group.slice(0, LISTED)) lines.push(line(finding, paint))
    const rest = group.length - LISTED
    if (!all && rest > 0)
      lines.push(
        paint('dim', `  and ${count(rest, 'more finding')} of the rule ${group[0]?.rule} in ${partName(group[0])}`),
      )
  }
  const looked = `${count(languages.length, 'language')}, ${count(namespaces.length, 'namespace')}, ${count(texts, 'text')}`
  const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`
  lines.push(`${ok ? paint('green', 'ok') : paint('red', 'not ok')}: ${found} in ${looked}`)
  return lines.join('\n')
}

function line(finding: Result['findings'][number], paint: Paint): string {
  const { severity, rule, message, file, line: row, column } = finding
  const where = file === null ? partName(finding) : [file, row, column].filter((part) => part !== null).join(':')
  return `${where === '' ? '' : `${where}: `}${paint(severity === 'error' ? 'red' : 'yellow', severity)} ${printable(message)} ${paint('dim', `(${rule})`)}`
}

function partName(
  finding: { readonly language: string | null; readonly namespace: string | null } | undefined,
): string {
  return [finding?.language, finding?.namespace].filter((part) => part !== null && part !== undefined).join('/')
}

/** Workflow commands, one a finding. */
function annotations({ findings }: Result): string {
  const value = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string) => value(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return findings
    .map((finding) => {
      const { severity, rule, message, file, line: row, column } = finding
      const properties = [
        file !== null && `file=${property(file)}`,
        row !== null && `line=${row}`,
        column !== null && `col=${column}`,
        `title=${property(`localization ${rule}`)}`,
      ].filter((part) => part !== false)
      const where = file === null && partName(finding) !== '' ? `${partName(finding)}: ` : ''
      return `::${severity} ${properties.join(',')}::${value(where + message)}`
    })
    .join('\n')
}

function nothingToCheck(config: ResolvedConfig): LocalizationError {
  return new LocalizationError(`there is nothing to check: no file matches ${config.files.join(', ')}`, {
    code: 'CATALOG_EMPTY',
    hint: 'Check the option files, or give --service.',
  })
}

function shares(value: string, previous: readonly (readonly [string, string])[] | undefined) {
  const pairs = collectPairs(value, previous)
  const share = Number(pairs.at(-1)?.[1])
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('The share is a number from 0 to 1.')
  return pairs
}

/** The pattern may hold `=`: the number stands behind the last one. */
function lengths(value: string, previous: readonly (readonly [string, string])[] | undefined) {
  const at = value.lastIndexOf('=')
  if (at <= 0 || !/^\d{1,6}$/.test(value.slice(at + 1))) throw new InvalidArgumentError('It is pattern=number.')
  return [...(previous ?? []), [value.slice(0, at), value.slice(at + 1)] as const]
}
