/** Keeps the report of a build for tools, and compares it with the option `budgets`. */
import { rename } from 'node:fs/promises'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { checkBudgets, isExceeded } from '../report/budgets.ts'
import { baselineFile, type CodeReport, hasRoutes, printReport, readReport, reportFile } from '../report/report.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { formatSize } from '../shared/size.ts'
import type { BuildReport } from './build-report.ts'

export function wantsReportFile({ report, budgets }: ResolvedConfig): boolean {
  return report === 'json' || Object.keys(budgets).length > 0
}

export async function saveBuildReport(report: BuildReport, config: ResolvedConfig, logger: Logger): Promise<void> {
  if (!wantsReportFile(config)) return
  const { root, budgets } = config
  const exceeded = exceededIn(report, budgets)
  for (const { name, bytes, limit, language } of exceeded) {
    const over = `${formatSize(bytes)} of texts in ${language}, over its budget of ${formatSize(limit)}`
    logger.warn(`${name} fetches ${over}. localization budget names the code that costs most`)
  }
  try {
    if (exceeded.length > 0) await keepBaseline(config)
    await writeFileAtomic(reportFile(root), printReport(report))
  } catch (error) {
    logger.warn(`the report could not be written. ${messageOf(error)}`)
  }
}

/** The last report within the budgets: \`localization budget\` names what came since. */
async function keepBaseline({ root, budgets }: ResolvedConfig): Promise<void> {
  const last = await readReport(reportFile(root)).catch(() => undefined)
  if (last && hasRoutes(last) && exceededIn(last, budgets).length === 0)
    await rename(reportFile(root), baselineFile(root))
}

function exceededIn(report: CodeReport, budgets: ResolvedConfig['budgets']) {
  return hasRoutes(report) ? checkBudgets(report, budgets).chunks.filter(isExceeded) : []
}
