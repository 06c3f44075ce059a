/** A hash of the texts that a build would get from the service, for task runners' caches. */
import type { Client } from '../api/client.ts'
import { textsDigest } from '../catalog/digest.ts'
import type { SourceName } from '../config/sources.ts'
import { LocalizationError } from '../errors.ts'
import { exportSource } from './export.ts'
import { fingerprintHosting, type ServiceFingerprint } from './hosting-fingerprint.ts'
import { querySource } from './query.ts'
import { settingsOf } from './snapshot.ts'
import type { ServiceSource, SourceContext } from './source.ts'
import { stateHash } from './validator.ts'

/** Not in the table in `load.ts`, so that builds do not load this code. */
const FINGERPRINTS: {
  readonly [name in SourceName]?: (context: SourceContext) => Promise<ServiceFingerprint>
} = {
  export: (context) => fingerprintTexts(exportSource, context),
  hosting: fingerprintHosting,
  query: (context) => fingerprintTexts(querySource, context),
}

/** An empty cache: every run downloads the texts, so that the fingerprint is the same on a fresh machine. */
const resourceCache = { get: async () => undefined, etag: async () => undefined, set: async () => {} }

export interface Fingerprint {
  readonly fingerprint: string
  readonly parts: ServiceFingerprint & {
    /** A hash of the options that select and name the texts. */
    readonly settings: string
  }
}

export interface FingerprintOptions extends Pick<SourceContext, 'config' | 'signal'> {
  /** Called only if the source needs the service. This module closes the client. */
  readonly openClient: () => Promise<Client>
}

/** Throws FINGERPRINT_UNKNOWN if the service cannot show whether texts have changed, and the errors from the calls. */
export async function fingerprintOf({ openClient, ...options }: FingerprintOptions): Promise<Fingerprint> {
  const { config } = options
  const ask = FINGERPRINTS[config.source]
  if (!ask) {
    throw new LocalizationError(`the source ${JSON.stringify(config.source)} does not use a service`, {
      code: 'FINGERPRINT_UNKNOWN',
      hint: 'Declare the translation files as inputs of the task, or set the option "source".',
    })
  }
  const state = await ask({ ...options, client: await openClient(), resourceCache })
  const parts = { settings: stateHash(settingsOf(config)), ...state }
  return { fingerprint: stateHash([parts.settings, parts.languages, parts.texts]), parts }
}

/** Reads the texts as a build does, because no response in the contract shows whether texts have changed. */
async function fingerprintTexts(source: ServiceSource, context: SourceContext): Promise<ServiceFingerprint> {
  const { catalog } = await source.load(context)
  return { languages: stateHash(catalog.languages), texts: textsDigest(catalog) }
}
