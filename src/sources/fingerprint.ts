/** A hash of the texts that a build would get from the service, for task runners' caches. */
import type { Client } from '../api/client.ts'
import { textsDigest } from '../catalog/digest.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { hostedLanguages, languagesFolder, nothingPublished, validatorOf } from './hosting.ts'
import { SERVICE_SOURCES } from './service-sources.ts'
import { settingsOf } from './snapshot.ts'
import type { ServiceSource, SourceContext } from './source.ts'
import { answerTime, SETTLED_MS, stateHash, storableValidator } from './validator.ts'

/** Hashes of the texts that a load would return. They do not depend on this machine, the time or the credentials. */
interface ServiceFingerprint {
  readonly languages: string
  readonly texts: string
}

/** An empty cache. Every run downloads the texts, so that the fingerprint is the same as on a fresh machine. */
const resourceCache = { get: async () => undefined, set: async () => {} }

export interface Fingerprint {
  readonly fingerprint: string
  readonly parts: ServiceFingerprint & {
    /** A hash of the options that select and name the texts. */
    readonly settings: string
  }
}

/**
 * `openClient` is called only if the source needs the service. Throws FINGERPRINT_UNKNOWN if the service cannot show
 * whether texts have changed. Also throws the client's errors.
 */
export async function fingerprintOf(
  config: ResolvedConfig,
  openClient: () => Promise<Client>,
  signal?: AbortSignal,
): Promise<Fingerprint> {
  const importSource = SERVICE_SOURCES[config.source]
  if (!importSource) {
    throw new LocalizationError(`the source ${JSON.stringify(config.source)} does not use a service`, {
      code: 'FINGERPRINT_UNKNOWN',
      hint: 'Declare the translation files as inputs of the task, or set the option "source".',
    })
  }
  const context = { config, client: await openClient(), resourceCache, signal }
  const isHosting = config.source === 'hosting'
  const state = isHosting ? await fingerprintHosting(context) : await fingerprintTexts(await importSource(), context)
  const parts = { settings: stateHash(settingsOf(config)), ...state }
  return { fingerprint: stateHash([parts.settings, parts.languages, parts.texts]), parts }
}

/** Reads the texts as a build does, because no response in the contract shows whether texts have changed. */
async function fingerprintTexts(source: ServiceSource, context: SourceContext): Promise<ServiceFingerprint> {
  const { catalog } = await source.load(context)
  return { languages: stateHash(catalog.languages), texts: textsDigest(catalog) }
}

/**
 * If there is an API key, the fingerprint consists of the environment's status and `_languages`. Otherwise, it consists
 * of `_languages` and the ETag of `_index`, which contains the texts of every language.
 */
async function fingerprintHosting(context: SourceContext): Promise<ServiceFingerprint> {
  const { apiKey, baseUrl } = context.config.service
  // For the local service, the client has an API key.
  return apiKey === undefined && baseUrl !== 'local' ? fromPublicFiles(context) : fromStatus(context)
}

async function fromStatus(context: SourceContext): Promise<ServiceFingerprint> {
  const { client, config, signal } = context
  let answeredAt = Number.NaN
  let digest: string | undefined
  const status = await client.environments.status(config.environment, {
    signal,
    onHeaders(header) {
      answeredAt = answerTime(header)
      digest = header('published-digest')
    },
  })
  const languages = await hostedLanguages(context, status.resources)
  if (digest) return { languages: stateHash(languages), texts: stateHash(['digest', digest]) }

  const validator = validatorOf(status, languages, answeredAt)
  if (!validator) {
    throw unknown("the environment's status has no publish time, or the response has no Date header", {
      hint: 'Both are needed to find out with two requests whether texts have changed.',
    })
  }
  if (!storableValidator(validator)) {
    throw unknown(`the environment ${JSON.stringify(config.environment)} was published less than 10 seconds ago`, {
      hint: `Publishing again now might not change the fingerprint. Try again in ${SETTLED_MS / 1000} seconds.`,
    })
  }
  return { languages: stateHash(languages), texts: validator.state }
}

async function fromPublicFiles(context: SourceContext): Promise<ServiceFingerprint> {
  const { client, config, signal } = context
  const { namespaces, defaultNamespace, customers } = config
  if (customers.length > 0 || namespaces?.some((name) => name !== defaultNamespace)) {
    throw unknown('cannot fingerprint namespaces and customers without an API key', {
      hint: 'Set LOCALIZATION_API_KEY.',
    })
  }
  const languages = await hostedLanguages(context, undefined)
  const index = `${languagesFolder(config, undefined)}/_index`
  const { kind, etag = '' } = await client.hosting.head(index, { signal })
  if (kind === 'missing') throw nothingPublished(config, index)
  if (!etag.startsWith('"')) {
    throw unknown(`the hosting resource ${index} has ${etag === '' ? 'no ETag' : `only the weak ETag ${etag}`}`, {
      hint: 'Set LOCALIZATION_API_KEY, or configure the host to send strong ETags.',
    })
  }
  return { languages: stateHash(languages), texts: stateHash(['etag', etag]) }
}

function unknown(message: string, { hint }: { readonly hint: string }): LocalizationError {
  return new LocalizationError(message, { code: 'FINGERPRINT_UNKNOWN', hint })
}
