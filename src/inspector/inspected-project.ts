/** The project behind an inspector: `DevProject` of a dev server, or `ServiceProject` of a service without files. */
import type { TextRef } from '../catalog/text-id.ts'
import type { Activity } from './activity.ts'
import type { ActionAnswer } from './protocol.ts'
import type { EditRequest, HeldRefs, ResolveRequest } from './requests.ts'
import type { ServiceTasks } from './service-tasks.ts'
import type { Snapshot } from './snapshot.ts'

export interface InspectedProject {
  readonly name: string
  readonly activity: Activity
  /** Machine translation and publishing. `undefined`: no service is configured. */
  readonly tasks: ServiceTasks | undefined
  /** What can be done with texts between files and service. `undefined`: there are no files. */
  readonly sync: SyncActions | undefined
  /** The same object as long as nothing has changed. */
  snapshot(): Promise<Snapshot>
  edit(edit: EditRequest): Promise<ActionAnswer>
  /** Reads everything that the service has. */
  refresh(): Promise<ActionAnswer>
  /** Where the text stands in its file. */
  placeOf(ref: TextRef): Promise<string | undefined>
  /** Where the source code spells the key. `undefined`: not known. */
  usedAt(key: string): Promise<readonly string[] | undefined>
}

export interface SyncActions {
  resolve(request: ResolveRequest): Promise<ActionAnswer>
  /** Accepts held texts for sending. */
  release(refs: HeldRefs): Promise<ActionAnswer>
  /** Puts the service's texts into the files in place of held ones. */
  drop(refs: HeldRefs): Promise<ActionAnswer>
  /** Sends the outbox now. */
  push(): Promise<ActionAnswer>
}
