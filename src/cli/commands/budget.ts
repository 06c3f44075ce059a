/** `localization budget`: what a page fetches of texts, by the report of the last build. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { checkBudgets } from '../../report/budgets.ts'
import { baselineFile, hasRoutes, type RouteReport, readReport, reportFile } from '../../report/report.ts'
import { createBudgetData, formatBudgetAnnotations, formatBudgets } from '../budget.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import type { Paint } from '../text.ts'

export { budgetResult } from '../budget.ts'

interface BudgetOptions {
  readonly reporter: 'text' | 'github'
  readonly compare?: string
}

export const addBudget: AddCommand = (program, act) => {
  program
    .command('budget')
    .summary('compare what pages fetch of texts with the option budgets')
    .description(
      'Compare the report of the last build with the option budgets. Exits with 1 if an entry or a lazily loaded ' +
        'chunk brings more bytes of texts than its budget, and names the code that does. Build first.',
    )
    .addOption(
      new Option('--reporter <name>', 'output format of the findings').choices(['text', 'github']).default('text'),
    )
    .option(
      '--compare <file>',
      'an earlier report: name what came since; default: the last one that was within the budgets, if there is one',
    )
    .addHelpText('after', examples('budget', 'budget --reporter github', 'budget --compare main/report.json --json'))
    .action(act(budget))
}

async function budget(context: CommandContext, { reporter, compare }: BudgetOptions) {
  const { root, budgets } = await context.config()
  if (Object.keys(budgets).length === 0)
    throw new LocalizationError('no budget is set', {
      code: 'CONFIG_INVALID',
      hint: "Set the option budgets, such as { 'src/main.ts': '20 KB' }: see docs/prune.md, By route.",
    })
  const report = await routeReport(reportFile(root))
  const baseline = await readBaseline(root, compare)
  const data = createBudgetData(checkBudgets(report, budgets, baseline))
  const text = (paint: Paint) =>
    reporter === 'github' ? formatBudgetAnnotations(data) : formatBudgets(data, paint, context.globals.verbose)
  return { data, failed: !data.ok, text }
}

const HOW_TO_BUILD =
  'Build the app for production with the options budgets and prune.perChunk. docs/prune.md, By route, lists the ' +
  'bundlers.'

async function routeReport(file: string, hint = HOW_TO_BUILD): Promise<RouteReport> {
  const report = await readReport(file)
  if (report && hasRoutes(report)) return report
  const problem = report ? `${file} does not tell which texts come with which code` : `there is no report: ${file}`
  throw new LocalizationError(problem, { code: 'REPORT_MISSING', hint })
}

/** The one that a build kept helps if it can be read, and is not asked for. */
async function readBaseline(root: ResolvedConfig['root'], given?: string): Promise<RouteReport | undefined> {
  if (given !== undefined)
    return routeReport(resolve(root, given), '--compare takes a report.json of an earlier build.')
  const kept = await readReport(baselineFile(root)).catch(() => undefined)
  return kept && hasRoutes(kept) ? kept : undefined
}
