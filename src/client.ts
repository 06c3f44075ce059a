/**
 * `unplugin-localization/client`: a typed client for every endpoint of the localization service.
 *
 * For servers, builds and scripts: an API key can change translations and must never reach a browser.
 */
export type { CallOptions, FileValidators } from './api/call.ts'
export { type Client, createClient } from './api/client.ts'
export type { ClientOptions } from './api/client-options.ts'
export type { EnvironmentsApi } from './api/environments.ts'
export { ApiError, type ApiErrorCode, isApiError, PartialError } from './api/errors.ts'
export type { ExportsApi } from './api/exports.ts'
export type { HostingAnswer, HostingApi, HostingHead, HostingOptions, HostingPlace } from './api/hosting.ts'
export type { ImportRequest, ImportsApi, UploadFile } from './api/imports.ts'
export { JobError, type JobsApi, type WaitOptions } from './api/jobs.ts'
export type { Reservation } from './api/pace.ts'
export type { TranslationPage } from './api/pages.ts'
export type { CredentialOwner, CredentialsApi, ProjectApi, ProjectsApi } from './api/projects.ts'
export type { ProxySettings } from './api/proxy.ts'
export * from './api/schemas.ts'
export type { DeleteKeysResult, KeysApi, TranslationsApi } from './api/translations.ts'
export { type ErrorCode, LocalizationError } from './errors.ts'
export type { Clock } from './shared/clock.ts'
