/** Which dev servers read files on demand. */
import type { ResolvedConfig } from '../config/types.ts'

/**
 * Whether a dev server may read files when pages request them. Sync compares all texts with the service from the
 * start, and a minimum that fails the load is about all texts.
 */
export function canReadOnDemand({ source, service, coverage }: ResolvedConfig): boolean {
  const { minimum, onMissing } = coverage
  const isStrict = onMissing === 'error' && Object.keys(minimum).length > 0
  return source === 'files' && service.apiKey === undefined && service.baseUrl !== 'local' && !isStrict
}
