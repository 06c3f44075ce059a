/**
 * The project shown by an inspector: a dev server's (`DevProject`), or a service's without files (`ServiceProject`).
 */
import type { TextRef } from '../catalog/text-id.ts'
import type { BuildReport } from '../report/report.ts'
import type { SyncEngine } from '../sync/engine.ts'
import type { Activity } from './activity.ts'
import type { KeyUses, SourceLine } from './key-uses.ts'
import type { ActionAnswer, Edit, KeyName } from './protocol.ts'
import type { ServiceTasks } from './service-tasks.ts'
import type { KeyDetails, SeenText, ServiceTexts } from './service-texts.ts'
import type { Snapshot } from './snapshot.ts'

export interface InspectedProject {
  /** Unique among all projects that a browser may see on the same origin. */
  readonly id: string
  readonly name: string
  readonly activity: Activity
  /** Machine translation and publishing; `undefined` if no service is configured. */
  readonly tasks: ServiceTasks | undefined
  /** Reviews, descriptions and deletions on the service; `undefined` if no service is configured. */
  readonly service: ServiceTexts | undefined
  /** Throws if nothing is synced because there are no files, or because they are not being watched yet. */
  readonly engine: SyncEngine
  /** Returns the same object until something changes. */
  snapshot(): Promise<Snapshot>
  edit(edit: Edit): Promise<ActionAnswer>
  /** Adds a key's first texts. `details` is information for translators. */
  add(edits: readonly Edit[], details?: KeyDetails): Promise<ActionAnswer>
  /**
   * Deletes texts from the files unless they changed since the user saw them. The changed ones are returned in `left`.
   */
  remove(texts: readonly SeenText[]): Promise<ActionAnswer & { readonly left: readonly SeenText[] }>
  /** Must be called after the service has accepted these texts' review states. */
  reviewed(texts: readonly SeenText[], isReviewed: boolean): void
  /** Reads all texts from the service again. */
  refresh(): Promise<void>
  /** Where the text is in its file, such as `locales/en/common.json:3:5`. */
  placeOf(ref: TextRef): Promise<string | undefined>
  /**
   * The places in the source code that use the key; `undefined` if unknown. `base` is the key without its plural form.
   */
  usesOf(key: KeyName & { readonly base: string | undefined }): Promise<KeyUses | undefined>
  /** Opens a place such as `src/app.ts:3:5` in the user's editor. Refuses files outside the project. */
  open(place: string): Promise<ActionAnswer>
  /** The places in the source code that contain a text without a key. Empty if there are no sources. */
  findText(text: string): Promise<readonly SourceLine[]>
  /** The text report of the last production build; `undefined` if there is none. */
  report?(): Promise<BuildReport | undefined>
}
