/**
 * `unplugin-localization/service`: a local service that implements the whole contract, for development and tests. The
 * bundlers' entry points do not load it.
 */
import type { LocalServiceOptions } from './service/options.ts'
import { type LocalService, createLocalService as startService } from './service/server.ts'

/**
 * Starts the local service, which implements the whole contract on this machine. Its pages at `/__localization/` show
 * and edit texts. They require the personal token.
 *
 * @throws LocalizationError `SERVICE_LOCKED` if another process is using the data folder, `SERVICE_START` if the port,
 * the folder, the database or an option is unusable.
 * @example
 * const service = await createLocalService({ dataDir: '.localization', environments: ['staging'] })
 */
export function createLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  // The service does not depend on the inspector, which is loaded when a page is first requested.
  return startService(options, async ({ baseUrl, personalToken, host, loopbackOnly }) => {
    const { createServicePages } = await import('./inspector/service-project.ts')
    return createServicePages(baseUrl, personalToken, host, loopbackOnly)
  })
}

export type { FaultRule } from './service/faults.ts'
export { type JoinedService, type JoinOptions, joinLocalService } from './service/join-service.ts'
export type { AnswerInfo } from './service/metrics.ts'
export type {
  CustomerDeclaration,
  LanguageDeclaration,
  LocalServiceOptions,
  RequestInfo,
  ServiceFeatures,
} from './service/options.ts'
export type {
  HttpProviderOptions,
  ProviderName,
  ProviderOptions,
  TranslateOptions,
  TranslationProvider,
} from './service/providers.ts'
export type { RateLimitOptions } from './service/rate-limit.ts'
export type { LocalService } from './service/server.ts'
export type { DriverName } from './service/store/driver.ts'
