/** The project behind an inspector: `DevProject` of a dev server, or `ServiceProject` of a service without files. */
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
  /** The id, which is unique among all projects that a browser may see at the same address. */
  readonly id: string
  readonly name: string
  readonly activity: Activity
  /** Machine translation and publishing; `undefined` if no service is configured. */
  readonly tasks: ServiceTasks | undefined
  /** Reviews, descriptions and deletions on the service; `undefined` without a service. */
  readonly service: ServiceTexts | undefined
  /** Throws if nothing is synced: there are no files, or they are not watched yet. */
  readonly engine: SyncEngine
  /** Returns the same object while nothing has changed. */
  snapshot(): Promise<Snapshot>
  edit(edit: Edit): Promise<ActionAnswer>
  /** Adds the texts of a new key. `details` contains information for translators. */
  add(edits: readonly Edit[], details?: KeyDetails): Promise<ActionAnswer>
  /** Deletes texts from the files, if they still match what the user saw. `left` contains those that do not match. */
  remove(texts: readonly SeenText[]): Promise<ActionAnswer & { readonly left: readonly SeenText[] }>
  /** Must be called after the service has accepted the review states of these texts. */
  reviewed(texts: readonly SeenText[], isReviewed: boolean): void
  /** Reads all texts of the service. */
  refresh(): Promise<void>
  /** The location of the text in its file. */
  placeOf(ref: TextRef): Promise<string | undefined>
  /**
   * The locations of the key in the source code; `undefined` if unknown. `base` is the key without its plural form.
   */
  usesOf(key: KeyName & { readonly base: string | undefined }): Promise<KeyUses | undefined>
  /** Opens a location such as `src/app.ts:3:5` in the user's editor. Refuses files outside the project. */
  open(place: string): Promise<ActionAnswer>
  /** The locations in the source code of a text that is not a message. Empty if there are no sources. */
  findText(text: string): Promise<readonly SourceLine[]>
  /** The last production build's report about texts; `undefined` if there is none. */
  report?(): Promise<BuildReport | undefined>
}
