/** A hosting environment: its validator, languages and resources. */
import type { EnvironmentStatus, Resource, WireLanguage } from '../api/schemas.ts'
import type { Language } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import type { SourceContext } from './source.ts'
import { cacheLifetimeMs, parseServiceTime, stateHash, type Validator } from './validator.ts'

/**
 * The environment's validator. An environment changes only when it is published, and its status contains the time of
 * the last publish. `_languages` is not in the contract, so it is requested each time. If there is no API key, there is
 * no status and therefore no validator.
 */
export function validatorOf(
  status: EnvironmentStatus | undefined,
  languages: readonly Language[],
  answeredAt: number,
): Validator | undefined {
  const changedAt = parseServiceTime(status?.createdAt)
  if (!status || Number.isNaN(answeredAt) || Number.isNaN(changedAt)) return undefined
  const { createdAt, numberOfKeys, numberOfLanguages, numberOfNonEmptyTranslations, resources } = status
  const counts = [createdAt, numberOfKeys, numberOfLanguages, numberOfNonEmptyTranslations]
  const listed = resources.map(({ link, size, language, namespace, customer }) =>
    JSON.stringify([link, size, language ?? null, namespace ?? null, customer ?? null]),
  )
  return { state: stateHash([counts, listed.sort(), languages]), answeredAt, changedAt }
}

/**
 * The languages in `_languages`, or an empty list if `_languages` is not published. In that case, throws if `resources`
 * is `undefined`.
 */
export async function hostedLanguages(
  context: SourceContext,
  resources: readonly Resource[] | undefined,
): Promise<Language[]> {
  const { config } = context
  const folder = languagesFolder(config, resources)
  const fetched = folder === undefined ? undefined : await fetchResource(context, `${folder}/_languages`)
  if (fetched) {
    if (!Array.isArray(fetched.data)) {
      throw new LocalizationError(`the hosting resource ${folder}/_languages is not a list of languages`, {
        code: 'API_UNEXPECTED_ANSWER',
        hint: 'Check "service.cdnUrl".',
      })
    }
    return (fetched.data as WireLanguage[]).map(({ key, name, isDefault }) => ({
      key: String(key),
      name: String(name ?? key),
      isDefault: isDefault === true,
    }))
  }
  if (!resources) throw nothingPublished(config, `${folder ?? ''}/_languages`)
  return []
}

/** The folder `{projectToken}/{environment}`, from the option or from the index resource's link. */
export function languagesFolder(
  { service, environment }: ResolvedConfig,
  resources: readonly Resource[] | undefined,
): string | undefined {
  if (service.projectToken !== undefined)
    return `${encodeURIComponent(service.projectToken)}/${encodeURIComponent(environment)}`
  const index = resources?.find(({ link }) => link.endsWith('/_index'))
  return index?.link.slice(0, -'/_index'.length)
}

export async function fetchResource(context: SourceContext, link: string): Promise<Fetched | undefined> {
  const cached = await context.resourceCache.get(addressOf(context, link))
  const { answer, staleMs } = await ask(context, link, cached?.etag)
  if (answer.kind === 'missing') return undefined
  if (answer.kind === 'not-modified') {
    if (cached) return { data: cached.data, unchanged: true, staleMs, digest: cached.etag ?? '' }
    throw new LocalizationError(
      `the hosting resource ${link} returned 304 (not modified) for an unconditional request`,
      {
        code: 'API_UNEXPECTED_ANSWER',
      },
    )
  }
  return { data: answer.data, unchanged: false, staleMs, digest: digestOf(answer) }
}

/** The `digest` that `fetchResource` would return. Texts are downloaded only if they have changed. */
export async function fetchDigest(
  context: SourceContext,
  link: string,
): Promise<Pick<Fetched, 'digest' | 'staleMs'> | undefined> {
  const etag = await context.resourceCache.etag(addressOf(context, link))
  const { answer, staleMs } = await ask(context, link, etag)
  if (answer.kind === 'missing') return undefined
  return { staleMs, digest: answer.kind === 'not-modified' ? (etag ?? '') : digestOf(answer) }
}

interface Fetched {
  readonly data: unknown
  readonly unchanged: boolean
  readonly staleMs: number
  /** The ETag, or a hash of the texts. */
  readonly digest: string
}

const addressOf = ({ config }: SourceContext, link: string) => `${config.service.cdnUrl ?? ''}/${link}`

const digestOf = ({ etag, data }: { readonly etag?: string | undefined; readonly data: unknown }) =>
  etag ?? stateHash(data)

async function ask(context: SourceContext, link: string, etag: string | undefined) {
  const { client, resourceCache, signal } = context
  let staleMs = Number.POSITIVE_INFINITY
  const answer = await client.hosting.resource(link, {
    signal,
    ...(etag !== undefined && { etag }),
    onHeaders: (header) => {
      staleMs = cacheLifetimeMs(header('cache-control'))
    },
  })
  if (answer.kind === 'ok' && answer.etag !== undefined)
    await resourceCache.set(addressOf(context, link), { etag: answer.etag, data: answer.data })
  return { answer, staleMs }
}

export function nothingPublished({ environment }: ResolvedConfig, link?: string): LocalizationError {
  const what = link === undefined ? 'no texts' : `no resource ${link}`
  return new LocalizationError(`the environment ${JSON.stringify(environment)} has ${what}`, {
    code: 'API_NOT_FOUND',
    hint: `Publish it with "localization publish ${environment}", or check the option "environment".`,
  })
}
