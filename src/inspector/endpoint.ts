/**
 * An endpoint of the inspector: the schema that validates everything that a browser sends to it, and a handler that
 * gets the request and the shown project.
 */
import * as z from 'zod'
import { LIMITS } from '../api/schemas.ts'
import type { TextRef } from '../catalog/text-id.ts'
import type { TextEdit } from '../files/edit.ts'
import type { BuildReport } from '../report/report.ts'
import type { SyncEngine } from '../sync/engine.ts'
import type { Activity } from './activity.ts'
import type { KeyUses, SourceLine } from './places.ts'
import type { ActionAnswer, KeyName, Reasons } from './protocol.ts'
import type { ServiceWork } from './service-work.ts'
import type { Snapshot } from './snapshot.ts'

export const MOST_REFS = 10_000
/** The maximum number of keys to delete or review at a time. Keep equal to `MOST_KEYS` in `page/controls.tsx`. */
const MOST_KEYS = 1_000

export const nothing = z.strictObject({})
export const name = z.string().min(1).max(500)
export const namespace = z.string().max(LIMITS.namespaceLength)
export const text = z.string().max(LIMITS.textLength)
export const ref = z.strictObject({ language: name, namespace, key: name, customer: name.optional() })
export const keyName = z.strictObject({ namespace, key: name })
export const keys = z.array(keyName).min(1).max(MOST_KEYS)

type Run<Schema extends z.ZodType, Answer> = (project: InspectedProject, request: z.output<Schema>) => Promise<Answer>

export function get<Schema extends z.ZodType, Answer>(schema: Schema, run: Run<Schema, Answer>) {
  return { method: 'GET', schema, run } as const
}

export function post<Schema extends z.ZodType, Answer>(schema: Schema, run: Run<Schema, Answer>) {
  return { method: 'POST', schema, run } as const
}

/** A dev server's project (`DevProject`), or a service's without files (`ServiceProject`). */
export interface InspectedProject {
  /** Unique among all projects that a browser may see on the same origin. */
  readonly id: string
  readonly name: string
  readonly activity: Activity
  /** `undefined` if no service is configured. */
  readonly service: ServiceWork | undefined
  /** Throws if nothing is synced because there are no files, or because they are not being watched yet. */
  readonly engine: SyncEngine
  /** Returns the same object until something changes. */
  snapshot(): Promise<Snapshot>
  /** Changes texts unless they changed since the user saw them. */
  edit(edits: readonly TextEdit[]): Promise<Reasons>
  /** Must be called after the service has accepted these texts' review states. */
  reviewed(refs: readonly TextRef[], isReviewed: boolean): void
  /** Reads all texts from the service again. */
  refresh(): Promise<void>
  // A project without files has none of the following.
  /** Where the text is in its file, such as `locales/en/common.json:3:5`. */
  placeOf?(ref: TextRef): Promise<string | undefined>
  /** The source code's uses of the key; `undefined` if unknown. `base` is the key without its plural form. */
  usesOf?(key: KeyName & { readonly base: string | undefined }): Promise<KeyUses | undefined>
  /** Opens a place such as `src/app.ts:3:5` in the user's editor. Refuses files outside the project. */
  open?(place: string): Promise<ActionAnswer>
  /** The places in the source code that contain a text without a key. */
  findText?(text: string): Promise<readonly SourceLine[]>
  /** The text report of the last production build; `undefined` if there is none. */
  report?(): Promise<BuildReport | undefined>
}
