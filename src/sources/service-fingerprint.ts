import type { SourceContext } from './source.ts'

export type FingerprintContext = Pick<SourceContext, 'config' | 'client' | 'signal'>

/** Hashes of what a load would bring. They do not depend on this machine, the time or the credentials. */
export interface ServiceFingerprint {
  /** The languages with their names. */
  readonly languages: string
  readonly texts: string
}
