/** Keeps the report of a build for tools. */
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { printReport, reportFile } from '../report/report.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import type { BuildReport } from './build-report.ts'

export async function saveBuildReport(
  build: BuildReport,
  { root, report }: Pick<ResolvedConfig, 'root' | 'report'>,
  logger: Logger,
): Promise<void> {
  if (report !== 'json') return
  try {
    await writeFileAtomic(reportFile(root), printReport(build))
  } catch (error) {
    logger.warn(`the report could not be written. ${messageOf(error)}`)
  }
}
