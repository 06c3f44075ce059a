/** `localization check` checks texts, or compares keys with the code, for continuous integration. */
import { checkReferences } from '../../catalog/check-references.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import {
  type CheckResult,
  checkResult,
  createResult,
  fileFinding,
  formatAnnotations,
  formatReport,
  formatUsage,
} from '../check/report.ts'
import { CHECK_OPTIONS, checksKeys, findInTexts, isInScope, loadChecked } from '../check/texts.ts'
import { defineCommand } from '../command.ts'
import { withCustomers } from '../filters.ts'
import { readStale, staleFinding } from '../stale.ts'

export { checkResult } from '../check/report.ts'

export const command = defineCommand({
  description: 'Check texts for continuous integration. Exits with 1 on errors, or with --strict also on warnings.',
  examples: [
    'check',
    'check --reporter github --coverage pl=0.95',
    'check --service --json',
    'check --unused --missing-in-code',
    'check --remove --dry-run',
  ],
  options: CHECK_OPTIONS,
  result: checkResult,
  async work(context, options) {
    const view = { reporter: options.reporter, all: context.globals.verbose === true }
    if (checksKeys(options)) {
      const { checkKeys } = await import('../check/keys.ts')
      return { ...view, ...(await checkKeys(context, options)) }
    }
    const checked = await loadChecked(context, withCustomers(await context.config(), options), options)
    const settings = await textCheckSettings(checked.config)
    const stale = await readStale(checked.config, checked.catalog, context)
    const { keySeparator } = checked.config
    const findings = [
      ...checked.files.diagnostics.map(fileFinding),
      ...findInTexts(checked, options, settings),
      ...checkReferences(checked.catalog, { ...settings, keySeparator }).filter(isInScope(checked)),
      ...stale.filter(({ ref }) => checked.scope.has(ref)).map(staleFinding),
    ]
    const data: CheckResult = await createResult(checked, findings, options.strict)
    return { ...view, data, failed: !data.ok }
  },
  text({ data, reporter, all }, paint) {
    if (reporter === 'github') return formatAnnotations(data)
    return [formatReport(data, paint, all), ...(data.usage ? [formatUsage(data.usage, paint, all)] : [])].join('\n')
  },
})
