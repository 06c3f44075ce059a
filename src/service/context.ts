/** The parts of the service that every route gets. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { ServiceNames } from '../shared/service-names.ts'
import type { JobRunner } from './jobs.ts'
import type { Metrics } from './metrics.ts'
import type { ServiceFeatures } from './options.ts'
import type { Publisher } from './publishing.ts'
import type { ProjectRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'
import type { TextGroups } from './text-groups.ts'

export interface ServiceContext {
  readonly store: Store
  /** For requests that set one text each. */
  readonly texts: TextGroups
  /** The project that an API key opens now. Outside of transactions. */
  readonly projectOf: (apiKey: string) => Promise<ProjectRecord | undefined>
  readonly now: () => string
  /** A personal token of this process alone, if its start kept none. */
  readonly ownToken: string | undefined
  /** The state of this process. */
  readonly run: RunState
  /** `token` opens nothing but the figures. `undefined`: there are no figures. */
  readonly metrics: { readonly figures: Metrics; readonly token: string | undefined } | undefined
  /** The file of the data. `undefined`: a database, or memory. */
  readonly dataFile: DataFile | undefined
  readonly publisher: Publisher
  readonly jobs: JobRunner
  /** How long an exported file can be fetched. */
  readonly fileLifetimeMs: number
  /** Absolute address of an exported file. */
  readonly fileUrl: (path: string) => string
  /** Tells this run from every other. Only where other processes may look for it: with a data folder. */
  readonly instance: string | undefined
  readonly features: ServiceFeatures
  readonly tokenHeader: string
  readonly names: ServiceNames
  readonly maxBodyBytes: number
  readonly maxUploadBytes: number
  /** Makes a project with everything that was declared at the start. */
  readonly createProject: (name: string) => Promise<ProjectRecord>
}

export interface DataFile {
  readonly path: string
  /** See `Database.holdFile`. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>
}

export interface RunState {
  isStopping: boolean
}

export interface ServiceEnv {
  Bindings: HttpBindings
}

export type ServiceApp = Hono<ServiceEnv>
export type ServiceRequest = Context<ServiceEnv>

/** The envelope of every answer but the import's. */
export function envelope(data: unknown, extra?: object): object {
  return { msg: 'OK', status: 200, data, ...extra }
}

/** The same with `data` as JSON. */
export function inEnvelope(json: string): string {
  return `{"msg":"OK","status":200,"data":${json}}`
}
