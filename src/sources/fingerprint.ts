/** One hash of what a build would get from the service, for the caches of task runners. */
import type { Client } from '../api/client.ts'
import type { SourceName } from '../config/sources.ts'
import { LocalizationError } from '../errors.ts'
import { fingerprintEditor } from './editor-fingerprint.ts'
import { fingerprintHosting } from './hosting-fingerprint.ts'
import type { FingerprintContext, ServiceFingerprint } from './service-fingerprint.ts'
import { settingsOf } from './snapshot.ts'
import { stateHash } from './validator.ts'

/** Beside the table of `load.ts`: no build carries this code. */
const FINGERPRINTS: {
  readonly [name in SourceName]?: (context: FingerprintContext) => Promise<ServiceFingerprint>
} = {
  export: fingerprintEditor,
  hosting: fingerprintHosting,
  query: fingerprintEditor,
}

export interface Fingerprint {
  readonly fingerprint: string
  readonly parts: ServiceFingerprint & {
    /** The options that select and name the texts. */
    readonly settings: string
  }
}

export interface FingerprintOptions extends Omit<FingerprintContext, 'client'> {
  /** Called only if the source needs the service. The caller closes the client. */
  readonly openClient: () => Promise<Client>
}

/** Throws FINGERPRINT_UNKNOWN if the service cannot show whether texts have changed, and the errors of the calls. */
export async function fingerprintOf({ openClient, ...options }: FingerprintOptions): Promise<Fingerprint> {
  const { config } = options
  const ask = FINGERPRINTS[config.source]
  if (!ask) {
    throw new LocalizationError(`the source ${JSON.stringify(config.source)} asks no service`, {
      code: 'FINGERPRINT_UNKNOWN',
      hint: 'Name the translation files as inputs of the task, or set the option source.',
    })
  }
  const state = await ask({ ...options, client: await openClient() })
  const parts = { settings: stateHash(settingsOf(config)), ...state }
  return { fingerprint: stateHash([parts.settings, parts.languages, parts.texts]), parts }
}
