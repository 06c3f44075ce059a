/** The parts of the service that every route gets. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { ServiceNames } from '../shared/service-names.ts'
import type { JobRunner } from './jobs.ts'
import type { Metrics } from './metrics.ts'
import type { ServiceFeatures } from './options.ts'
import type { Publisher } from './publish.ts'
import type { TextGroups } from './set-text.ts'
import type { ProjectRecord } from './store/projects.ts'
import type { ServiceStore } from './store/store.ts'

export interface ServiceContext {
  readonly store: ServiceStore
  /** Groups the texts of requests that each set one text. */
  readonly texts: TextGroups
  /** The current project of an API key. Must be called outside of transactions. */
  readonly projectOf: (apiKey: string) => Promise<ProjectRecord | undefined>
  readonly now: () => string
  /** A personal token that only this process accepts, if the start of the service stored none. */
  readonly ownToken: string | undefined
  /** The state of this process. */
  readonly run: RunState
  /** The metrics; `undefined` if they are switched off. `token` gives access only to the metrics. */
  readonly metrics: { readonly figures: Metrics; readonly token: string | undefined } | undefined
  /** The data file; `undefined` if the data is in a database or in memory. */
  readonly dataFile: DataFile | undefined
  readonly publisher: Publisher
  readonly jobs: JobRunner
  /** The time for which an exported file can be fetched. */
  readonly fileLifetimeMs: number
  /** The absolute address of an exported file. */
  readonly fileUrl: (path: string) => string
  /** An id for this run. Set only if there is a data folder, in which other processes may look for it. */
  readonly instance: string | undefined
  readonly features: ServiceFeatures
  readonly tokenHeader: string
  readonly names: ServiceNames
  readonly maxBodyBytes: number
  readonly maxUploadBytes: number
  /** Creates a project with everything that the options declare. */
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
