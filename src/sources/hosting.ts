/** Source `hosting`: the published texts of an environment, by conditional requests. */
import type { EnvironmentStatus, Resource, WireLanguage } from '../api/schemas.ts'
import type { Layer } from '../catalog/layers.ts'
import { createCatalog, type Language } from '../catalog/model.ts'
import { isLiteral, nameFilter } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { type ServiceSource, type SourceContext, type SourceResult, textsOf } from './source.ts'
import { AnswerTime, cacheLifetimeMs, parseServiceTime, stateHash, type Validator } from './validator.ts'

interface WantedResource {
  readonly link: string
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
}

export const hostingSource: ServiceSource = {
  load: loadFromHosting,
  canRevalidate: () => true,
  // Texts that are not published are missing.
  isComplete: () => false,
}

async function loadFromHosting(context: SourceContext): Promise<SourceResult> {
  const { client, config, signal } = context
  const time = new AnswerTime()
  const status =
    config.service.apiKey === undefined
      ? undefined
      : await client.environments.status(config.environment, { signal, onHeaders: time.onHeaders })
  const languages = await hostedLanguages(context, status?.resources)
  const validator = validatorOf(status, languages, time)
  const unchanged = await context.revalidate?.(validator)
  if (unchanged) return unchanged
  const wanted = status ? listedResources(status.resources, config) : guessedResources(languages, config)
  if (wanted.length === 0) throw nothingPublished(config)

  let same = 0
  let staleMs = 0
  const parts = await Promise.all(
    wanted.map(async ({ link, ...part }) => {
      const fetched = await fetchResource(context, link)
      if (!fetched) throw nothingPublished(config, link)
      if (fetched.unchanged) same++
      staleMs = Math.max(staleMs, fetched.staleMs)
      return { ...part, ...textsOf(fetched.data, config, `the hosting resource ${link}`) }
    }),
  )
  return {
    catalog: createCatalog({ languages, parts: withoutCustomerEchoes(parts) }),
    detail: `hosting ${config.environment}, ${wanted.length} resources, ${same} unchanged`,
    diagnostics: [],
    validator,
    staleMs,
  }
}

/**
 * An environment changes only when it is published, and its status has the time of that. `_languages` is beyond the
 * contract and is requested each time. Without an API key there is no status, so there is no validator.
 */
function validatorOf(
  status: EnvironmentStatus | undefined,
  languages: readonly Language[],
  { earliest: answeredAt }: AnswerTime,
): Validator | undefined {
  const changedAt = parseServiceTime(status?.createdAt)
  if (!status || answeredAt === undefined || Number.isNaN(changedAt)) return undefined
  const { createdAt, numberOfKeys, numberOfLanguages, numberOfNonEmptyTranslations, resources } = status
  const counts = [createdAt, numberOfKeys, numberOfLanguages, numberOfNonEmptyTranslations]
  const listed = resources.map(({ link, size, language, namespace, customer }) => [
    link,
    size,
    language ?? null,
    namespace ?? null,
    customer ?? null,
  ])
  return { state: stateHash([counts, listed, languages]), answeredAt, changedAt }
}

/** The resources that the environment lists, without a language's merged file if its namespaces are listed too. */
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
    if (language === undefined || isMeta(link)) return []
    if (namespace === undefined && split.has(JSON.stringify([language, customer ?? '']))) return []
    if (customer !== undefined && customer !== '' && !customers.includes(customer)) return []
    if (!isWanted((namespace ?? '') || defaultNamespace)) return []
    return [{ link, language, namespace: namespace ?? '', ...(customer && { customer }) }]
  })
}

/**
 * Without an API key, only public files are readable: languages from `_languages`, namespaces from the configuration.
 */
function guessedResources(languages: readonly Language[], config: ResolvedConfig): WantedResource[] {
  const { namespaces, defaultNamespace, customers, service, environment } = config
  if (namespaces && !namespaces.every(isLiteral)) {
    throw new LocalizationError('without an API key the namespaces of a hosting environment cannot be listed', {
      code: 'SOURCE_NAMESPACES',
      hint: 'Set LOCALIZATION_API_KEY, or name each namespace in the option namespaces without globs.',
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

/** The languages of `_languages`. If that is not published, the languages come from the resources. */
async function hostedLanguages(
  context: SourceContext,
  resources: readonly Resource[] | undefined,
): Promise<Language[]> {
  const { config } = context
  const folder = languagesFolder(config, resources)
  const fetched = folder === undefined ? undefined : await fetchResource(context, `${folder}/_languages`)
  if (fetched) {
    if (!Array.isArray(fetched.data)) {
      throw new LocalizationError(`the hosting resource ${folder}/_languages is no list of languages`, {
        code: 'API_UNEXPECTED_ANSWER',
        hint: 'Check the option service.cdnUrl.',
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

/** `{projectToken}/{environment}`, from the option or from the index resource's own link. */
function languagesFolder(
  { service, environment }: ResolvedConfig,
  resources: readonly Resource[] | undefined,
): string | undefined {
  if (service.projectToken !== undefined)
    return `${encodeURIComponent(service.projectToken)}/${encodeURIComponent(environment)}`
  const index = resources?.find(({ link }) => link.endsWith('/_index'))
  return index?.link.slice(0, -'/_index'.length)
}

async function fetchResource(
  { client, config, resourceCache, signal }: SourceContext,
  link: string,
): Promise<{ data: unknown; unchanged: boolean; staleMs: number } | undefined> {
  const address = `${config.service.cdnUrl ?? ''}/${link}`
  const cached = await resourceCache.get(address)
  let staleMs = Number.POSITIVE_INFINITY
  const answer = await client.hosting.resource(link, {
    signal,
    ...(cached && { etag: cached.etag }),
    onHeaders: (header) => {
      staleMs = cacheLifetimeMs(header('cache-control'))
    },
  })
  if (answer.kind === 'missing') return undefined
  if (answer.kind === 'not-modified') {
    if (cached) return { data: cached.data, unchanged: true, staleMs }
    throw new LocalizationError(
      `the hosting resource ${link} answered "not modified" to a request without a condition`,
      {
        code: 'API_UNEXPECTED_ANSWER',
      },
    )
  }
  if (answer.etag !== undefined) await resourceCache.set(address, { etag: answer.etag, data: answer.data })
  return { data: answer.data, unchanged: false, staleMs }
}

/** A customer's file may also hold the general texts: keeps only the texts that differ from them. */
function withoutCustomerEchoes(parts: readonly (Omit<WantedResource, 'link'> & Layer)[]) {
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

function nothingPublished({ environment }: ResolvedConfig, link?: string): LocalizationError {
  const what = link === undefined ? 'no texts' : `no resource ${link}`
  return new LocalizationError(`the environment ${JSON.stringify(environment)} has ${what}`, {
    code: 'API_NOT_FOUND',
    hint: 'Publish it first (POST /api/v2/environments/{environmentKey}/publish), or check the option environment.',
  })
}
