/**
 * The `hosting` source's fingerprint. With an API key, it consists of the environment's status and `_languages`.
 * Without one, it consists of `_languages` and the ETag of `_index`, which contains the texts of all languages.
 */
import { LocalizationError } from '../errors.ts'
import { hostedLanguages, languagesFolder, nothingPublished, validatorOf } from './hosting-environment.ts'
import type { SourceContext } from './source.ts'
import { answerTime, SETTLED_MS, stateHash, storableValidator } from './validator.ts'

/** Hashes of the texts that a load would return. They do not depend on this machine, the time or the credentials. */
export interface ServiceFingerprint {
  /** The languages and their names. */
  readonly languages: string
  readonly texts: string
}

export async function fingerprintHosting(context: SourceContext): Promise<ServiceFingerprint> {
  const { apiKey, baseUrl } = context.config.service
  // For the local service, the client has its API key.
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
      hint: `Another publish now could look the same. Try again in ${SETTLED_MS / 1000} seconds.`,
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
