/** `localization check`: what continuous integration should stop at. */

import { InvalidArgumentError, Option } from 'commander'
import { checkReferences } from '../../catalog/check-references.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { type CheckOptions, checksKeys, loadChecked } from '../check/load.ts'
import { createResult, fileFinding, formatAnnotations, formatReport } from '../check/report.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { addFilters, withCustomers } from '../filters.ts'
import { collect, collectPairs, wholeNumber } from '../options.ts'
import { readStale, staleFinding } from '../stale.ts'
import type { Paint } from '../text.ts'

export { checkResult } from '../check/report.ts'

export const addCheck: AddCommand = (program, act) => {
  addFilters(
    program
      .command('check')
      .summary('check texts for continuous integration')
      .description(
        'Check texts for continuous integration. Exits with 1 for an error, and with --strict also for a warning.',
      )
      .addOption(
        new Option('--reporter <name>', 'output format of the findings').choices(['text', 'github']).default('text'),
      )
      .option(
        '--service',
        "check the texts that a build uses (the service's texts, then the files) instead of the files",
      )
      .option(
        '--coverage <language=share>',
        'minimum share of translated texts, such as pl=0.95; adds to the option coverage (repeatable)',
        collectPairs(share),
      )
      .option(
        '--characters-limit <pattern=number>',
        'maximum length of texts by key, such as "button.*=24" (repeatable)',
        // The pattern may hold `=`.
        collectPairs(wholeNumber, 'lastIndexOf'),
      )
      .addOption(
        new Option('--syntax <name>', 'syntax of placeholders: {x}, {{x}} or ICU messages')
          .choices(['auto', 'single', 'double', 'icu', 'none'])
          .default('auto'),
      )
      .option('--strict', 'count warnings as errors')
      .option('--unused', 'check the sources instead: report keys that no source uses')
      .option('--missing-in-code', 'check the sources instead: report used keys that no language has')
      .option('--remove', 'with --unused: delete these keys from the files; shows what would change and asks')
      .option('--force', 'with --remove: also delete more than half of the keys')
      .option('--yes', 'do not ask')
      .option('--dry-run', 'only show what would be removed')
      .option(
        '--source <glob>',
        'sources to read instead of the option usage.files; "!" excludes (repeatable)',
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
        'sources whose calls with unknown keys keep nothing, such as your own runtime (repeatable)',
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
  if (checksKeys(options)) {
    const { checkKeys } = await import('../check/keys.ts')
    return checkKeys(context, options)
  }
  const checked = await loadChecked(context, withCustomers(await context.config(), options), options)
  const settings = await textCheckSettings(checked.config)
  const { findInTexts } = await import('../check/texts.ts')
  const stale = await readStale(checked.config, checked.catalog, context)
  const { keySeparator } = checked.config
  const references = checkReferences(checked.catalog, { ...settings, keySeparator }).filter(
    ({ place: { language = '', namespace = '', customer } }) => checked.scope.has({ language, namespace, customer }),
  )
  const findings = [
    ...checked.files.diagnostics.map(fileFinding),
    ...findInTexts(checked, options, settings),
    ...references,
    ...stale.filter(({ ref }) => checked.scope.has(ref)).map(staleFinding),
  ]
  const data = await createResult(checked, findings, options.strict)
  const text = (paint: Paint) =>
    options.reporter === 'github' ? formatAnnotations(data) : formatReport(data, paint, context.globals.verbose)
  return { data, failed: !data.ok, text }
}

function share(value: string): number {
  const number = Number(value)
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('The share is a number from 0 to 1.')
  return number
}
