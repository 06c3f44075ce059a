/** The project behind an inspector: `DevProject` of a dev server, or `ServiceProject` of a service without files. */
import type { TextRef } from '../catalog/text-id.ts'
import type { BuildReport } from '../report/report.ts'
import type { SyncEngine } from '../sync/engine.ts'
import type { Activity } from './activity.ts'
import type { SourceLine } from './key-uses.ts'
import type { ActionAnswer } from './protocol.ts'
import type { EditRequest } from './requests.ts'
import type { ServiceTasks } from './service-tasks.ts'
import type { KeyDetails, SeenText, ServiceTexts } from './service-texts.ts'
import type { Snapshot } from './snapshot.ts'

export interface InspectedProject {
  /** Differs from that of every other project that a browser may see at the same address. */
  readonly id: string
  readonly name: string
  readonly activity: Activity
  /** Machine translation and publishing. `undefined`: no service is configured. */
  readonly tasks: ServiceTasks | undefined
  /** Reviews, descriptions and deletions on the service, where there is one. */
  readonly service: ServiceTexts | undefined
  /** Throws where nothing is synced: there are no files, or they are not watched yet. */
  readonly engine: SyncEngine
  /** The same object as long as nothing has changed. */
  snapshot(): Promise<Snapshot>
  edit(edit: EditRequest): Promise<ActionAnswer>
  /** Adds the texts of a new key. `details`: for translators. */
  add(edits: readonly EditRequest[], details?: KeyDetails): Promise<ActionAnswer>
  /** Deletes texts from the files, where they still are what was seen. `left`: those that are not. */
  remove(texts: readonly SeenText[]): Promise<ActionAnswer & { readonly left: readonly SeenText[] }>
  /** To be called when the service has taken the review states of these texts. */
  reviewed(texts: readonly SeenText[], isReviewed: boolean): void
  /** Reads everything that the service has. */
  refresh(): Promise<void>
  /** Where the text stands in its file. */
  placeOf(ref: TextRef): Promise<string | undefined>
  /** Where the source code spells the key. `undefined`: not known. */
  usedAt(key: string): Promise<readonly string[] | undefined>
  /** Where the source code has a text that is no message. Empty where there are no sources. */
  findText(text: string): Promise<readonly SourceLine[]>
  /** What the last production build said of its texts. `undefined`: there is no such report. */
  report?(): Promise<BuildReport | undefined>
}
