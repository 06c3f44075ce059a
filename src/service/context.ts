import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { ServiceNames } from '../shared/service-names.ts'
import type { JobRunner } from './jobs.ts'
import type { Metrics } from './metrics.ts'
import type { ServiceFeatures } from './options.ts'
import type { Publisher } from './publish.ts'
import type { TextGroups } from './set-text.ts'
import type { Database } from './store/driver.ts'
import type { ProjectRecord } from './store/projects.ts'
import type { ServiceStore } from './store/store.ts'

export interface ServiceContext {
  readonly store: ServiceStore
  /** Combines requests that each set one text. */
  readonly texts: TextGroups
  /** Returns the current project for an API key. Must be called outside of transactions. */
  readonly projectOf: (apiKey: string) => Promise<ProjectRecord | undefined>
  readonly now: () => string
  /** A personal token that only this process accepts. Set if the service stored no token at startup. */
  readonly ownToken: string | undefined
  readonly run: RunState
  /** `undefined` if metrics are switched off. `token` gives access only to the metrics. */
  readonly metrics: { readonly figures: Metrics; readonly token: string | undefined } | undefined
  /** `undefined` if the data is in PostgreSQL or in memory. */
  readonly dataFile:
    | {
        readonly path: string
        /** See `Database.holdFile`. */
        readonly hold: NonNullable<Database['holdFile']>
      }
    | undefined
  readonly publisher: Publisher
  readonly jobs: JobRunner
  readonly fileLifetimeMs: number
  /** Returns the absolute URL of an exported file. */
  readonly fileUrl: (path: string) => string
  /** An ID for this run. Set only if there is a data folder, because other processes look for the ID there. */
  readonly instance: string | undefined
  readonly features: ServiceFeatures
  readonly tokenHeader: string
  readonly names: ServiceNames
  readonly maxBodyBytes: number
  readonly maxUploadBytes: number
  /**
   * Creates a project with the languages, customers and environments from the options. If `ifMissing` is true and a
   * project has this name, returns that one.
   */
  readonly createProject: (name: string, ifMissing: boolean) => Promise<ProjectRecord>
}

export interface RunState {
  isStopping: boolean
}

export interface ServiceEnv {
  Bindings: HttpBindings
}

export type ServiceApp = Hono<ServiceEnv>
export type ServiceRequest = Context<ServiceEnv>
