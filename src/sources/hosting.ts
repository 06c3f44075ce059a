/** The `hosting` source, which fetches an environment's published texts with conditional requests. */
import { parseServiceTime } from '../api/changes.ts'
import type { EnvironmentStatus, Resource, WireLanguage } from '../api/schemas.ts'
import type { Layer } from '../catalog/merge.ts'
import { createCatalog, type Language } from '../catalog/model.ts'
import { appNamespace, isLiteral, nameFilter } from '../catalog/names.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { type ServiceInputs, type ServiceSource, type SourceContext, type SourceResult, textsOf } from './source.ts'
import {
  answerTime,
  cacheLifetimeMs,
  digestsOf,
  isUnchanged,
  type ReadHeader,
  type StoredValidator,
  stateHash,
  type Validator,
} from './validator.ts'

interface WantedResource extends PartRef {
  readonly link: string
}

export const hostingSource: ServiceSource = {
  load: loadFromHosting,
  inputs: readInputs,
  // Unpublished texts are not in the environment.
  isComplete: () => false,
}

async function readState(context: SourceContext) {
  const { client, config, signal } = context
  let answeredAt = Number.NaN
  const onHeaders = (header: ReadHeader) => {
    answeredAt = answerTime(header)
  }
  const status =
    config.service.apiKey === undefined
      ? undefined
      : await client.environments.status(config.environment, { signal, onHeaders })
  const languages = await hostedLanguages(context, status?.resources)
  const wanted = () => {
    const found = status ? listedResources(status.resources, config) : guessedResources(languages, config)
    if (found.length === 0) throw nothingPublished(config)
    return found
  }
  return { languages, validator: validatorOf(status, languages, answeredAt), wanted }
}

async function loadFromHosting(context: SourceContext): Promise<SourceResult> {
  const { config, only } = context
  const { languages, validator, wanted } = await readState(context)
  const unchanged = await context.revalidate?.(validator)
  if (unchanged) return unchanged
  let same = 0
  let staleMs = 0
  const inputs: Parameters<typeof digestsOf>[0][number][] = []
  const resources = wanted()
  const parts = await Promise.all(
    resources.map(async ({ link, ...part }) => {
      const namespace = appNamespace(part.namespace, config)
      if (only && !only.has(namespace)) return { ...part, messages: new Map<string, string>() }
      const fetched = await fetchResource(context, link)
      if (!fetched) throw nothingPublished(config, link)
      if (fetched.unchanged) same++
      staleMs = Math.max(staleMs, fetched.staleMs)
      inputs.push({ namespace, name: link, digest: fetched.digest })
      return { ...part, ...textsOf(fetched.data, config, `the hosting resource ${link}`) }
    }),
  )
  return {
    catalog: createCatalog({ languages, parts: withoutGeneralCopies(parts) }),
    detail: `hosting ${config.environment}, ${resources.length} resources, ${same} unchanged`,
    diagnostics: [],
    validator,
    staleMs,
    inputs: digestsOf(inputs),
  }
}

async function readInputs(context: SourceContext, known: StoredValidator | undefined): Promise<ServiceInputs> {
  const { validator, wanted } = await readState(context)
  if (known && validator && isUnchanged(known, validator)) return { validator, inputs: undefined }
  let staleMs = 0
  const inputs = await Promise.all(
    wanted().map(async ({ link, namespace }) => {
      const fetched = await fetchResource(context, link)
      staleMs = Math.max(staleMs, fetched?.staleMs ?? 0)
      return { namespace: appNamespace(namespace, context.config), name: link, digest: fetched?.digest ?? '' }
    }),
  )
  return { validator, staleMs, inputs: digestsOf(inputs) }
}

/**
 * The resources that the environment lists. The file that merges all namespaces of a language is left out if the
 * namespaces are also listed one by one.
 */
function listedResources(
  resources: readonly Resource[],
  { namespaces, defaultNamespace, customers }: ResolvedConfig,
): WantedResource[] {
  const isWanted = nameFilter(namespaces)
  const split = new Set(
    resources
      .filter(({ namespace }) => namespace !== undefined)
      .map(({ language, customer }) => JSON.stringify([language, customer ?? ''])),
  )
  return resources.flatMap(({ link, language, namespace, customer }) => {
    if (language === undefined || (namespace === undefined && isMeta(link))) return []
    if (namespace === undefined && split.has(JSON.stringify([language, customer ?? '']))) return []
    if (customer !== undefined && customer !== '' && !customers.includes(customer)) return []
    if (!isWanted((namespace ?? '') || defaultNamespace)) return []
    return [{ link, language, namespace: namespace ?? '', ...(customer && { customer }) }]
  })
}

/**
 * The expected resources. Used if there is no API key, because then only public files can be read. The languages come
 * from `_languages`, and the namespaces come from the configuration.
 */
function guessedResources(languages: readonly Language[], config: ResolvedConfig): WantedResource[] {
  const { namespaces, defaultNamespace, customers, service, environment } = config
  if (namespaces && !namespaces.every(isLiteral)) {
    throw new LocalizationError('cannot list the namespaces of a hosting environment without an API key', {
      code: 'SOURCE_NAMESPACES',
      hint: 'Set LOCALIZATION_API_KEY, or list the namespaces in the option "namespaces", without globs.',
    })
  }
  const layers = [undefined, ...customers]
  return languages.flatMap(({ key: language }) =>
    layers.flatMap((customer) =>
      (namespaces ?? [defaultNamespace]).map((name) => {
        const folder = customer === undefined ? language : `${language}_${customer}`
        const segments = [
          service.projectToken ?? '',
          environment,
          folder,
          ...(name === defaultNamespace ? [] : name.split('/')),
        ]
        return {
          link: segments.map(encodeURIComponent).join('/'),
          language,
          namespace: name === defaultNamespace ? '' : name,
          ...(customer !== undefined && { customer }),
        }
      }),
    ),
  )
}

/** Removes texts from a customer's file that equal the general texts, because such a file may repeat them. */
function withoutGeneralCopies(parts: readonly (PartRef & Layer)[]) {
  const general = new Map(
    parts
      .filter(({ customer }) => customer === undefined)
      .map((part) => [JSON.stringify([part.language, part.namespace]), part.messages]),
  )
  return parts.map((part) => {
    if (part.customer === undefined) return part
    const shared = general.get(JSON.stringify([part.language, part.namespace]))
    return { ...part, messages: new Map([...part.messages].filter(([key, text]) => shared?.get(key) !== text)) }
  })
}

function isMeta(link: string): boolean {
  return /\/_(?:index|languages|customers)$/.test(link)
}

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
    if (!isLanguageList(fetched.data)) {
      throw new LocalizationError(`the hosting resource ${folder}/_languages is not a list of languages`, {
        code: 'API_UNEXPECTED_ANSWER',
        hint: 'Check "service.cdnUrl".',
      })
    }
    return fetched.data.map(({ key, name, isDefault }) => ({
      key,
      name: String(name ?? key),
      isDefault: isDefault === true,
    }))
  }
  if (!resources) throw nothingPublished(config, `${folder ?? ''}/_languages`)
  return []
}

function isLanguageList(data: unknown): data is readonly WireLanguage[] {
  return Array.isArray(data) && data.every((one) => typeof one?.key === 'string')
}

/** The folder `{projectToken}/{environment}`, from the option or from the index resource's link. */
export function languagesFolder(
  { service, environment }: ResolvedConfig,
  resources: readonly Resource[] | undefined,
): string | undefined {
  if (service.projectToken !== undefined)
    return `${encodeURIComponent(service.projectToken)}/${encodeURIComponent(environment)}`
  const index = resources?.find(({ link, namespace }) => namespace === undefined && link.endsWith('/_index'))
  return index?.link.slice(0, -'/_index'.length)
}

async function fetchResource(context: SourceContext, link: string): Promise<Fetched | undefined> {
  const { client, config, resourceCache, signal } = context
  const address = `${config.service.cdnUrl ?? ''}/${link}`
  const cached = await resourceCache.get(address)
  let staleMs = Number.POSITIVE_INFINITY
  const answer = await client.hosting.resource(link, {
    signal,
    ...(cached?.etag !== undefined && { etag: cached.etag }),
    onHeaders: (header) => {
      staleMs = cacheLifetimeMs(header('cache-control'))
    },
  })
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
  const { etag, data } = answer
  if (etag !== undefined) await resourceCache.set(address, { etag, data })
  return { data, unchanged: false, staleMs, digest: etag ?? stateHash(data) }
}

interface Fetched {
  readonly data: unknown
  readonly unchanged: boolean
  readonly staleMs: number
  /** The ETag, or a hash of the texts. */
  readonly digest: string
}

export function nothingPublished({ environment }: ResolvedConfig, link?: string): LocalizationError {
  const what = link === undefined ? 'no texts' : `no resource ${link}`
  return new LocalizationError(`the environment ${JSON.stringify(environment)} has ${what}`, {
    code: 'API_NOT_FOUND',
    hint: `Publish it with "localization publish ${environment}", or check the option "environment".`,
  })
}
