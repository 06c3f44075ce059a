/**
 * `unplugin-localization/service`: a local service with the whole contract, for development and tests.
 * Nothing of it is loaded by the bundler entries.
 */
export type { FaultRule } from './service/faults.ts'
export { type JoinedService, type JoinOptions, joinLocalService } from './service/join.ts'
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
} from './service/providers/types.ts'
export type { RateLimitOptions } from './service/rate-limit.ts'
export { createLocalService, type LocalService } from './service/server.ts'
export type { DriverName } from './service/store/driver.ts'
