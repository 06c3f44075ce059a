/** The options of `localization check`, and the texts that it checks. */
import { fillGaps } from '../../catalog/merge.ts'
import type { Syntax } from '../../catalog/placeholders.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { searchedPlaces } from '../../files/patterns.ts'
import { loadFromFiles } from '../../sources/files.ts'
import type { CommandContext } from '../command.ts'
import { type FilterOptions, scopeOf } from '../filters.ts'
import type { Pairs } from '../options.ts'
import type { Checked } from './report.ts'

export interface CheckOptions extends FilterOptions {
  reporter: 'text' | 'github'
  service?: boolean
  coverage?: Pairs<number>
  charactersLimit?: Pairs<number>
  syntax: Syntax | 'auto'
  strict?: boolean
  unused?: boolean
  missingInCode?: boolean
  remove?: boolean
  force?: boolean
  yes?: boolean
  dryRun?: boolean
  source?: readonly string[]
  function?: readonly string[]
  keep?: readonly string[]
  ignoreIn?: readonly string[]
}

/** Whether keys are compared with the sources, instead of a check of the texts. */
export function checksKeys({ unused, missingInCode, remove }: CheckOptions): boolean {
  return Boolean(unused || missingInCode || remove)
}

/** The files' texts, or with `--service` those of the service with gaps filled from the files, as a build uses them. */
export async function loadChecked(
  context: CommandContext,
  config: ResolvedConfig,
  options: CheckOptions,
): Promise<Checked> {
  const files = await loadFromFiles(config)
  const isFromService = options.service || (files.fileCount === 0 && config.service.baseUrl !== undefined)
  const catalog = isFromService
    ? fillGaps(await readService(context, config), files.catalog, config.keySeparator)
    : files.catalog
  if (catalog.languages.length === 0 && (checksKeys(options) || files.diagnostics.length === 0))
    throw new LocalizationError(`there is nothing to check: no file matches ${searchedPlaces(config)}`, {
      code: 'CATALOG_EMPTY',
      hint: 'Check the option files, or give --service.',
    })
  return { config, scope: scopeOf(options), files, catalog }
}

async function readService(context: CommandContext, config: ResolvedConfig) {
  const { readServiceCatalog } = await import('../service-texts.ts')
  return readServiceCatalog(await context.client(), config, context.signal)
}
