/** Tells `release --watch` cheaply whether texts may have changed, for sources that would be read as a whole. */
import { modifiedAt, ServiceChanges } from '../api/changes.ts'
import type { Client } from '../api/client.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { readFileInputs } from '../sources/files.ts'

/** The number of rounds after which everything is read: a reading of changes may miss a deletion. */
const WHOLE_EVERY = 20

type TextsClient = Pick<Client, 'translations'>

export class SourceWatch {
  readonly #isNeeded: boolean
  readonly #layers: readonly (string | undefined)[]
  #changes: ServiceChanges | undefined
  #files = ''
  #rounds = 0

  constructor(
    private readonly config: ResolvedConfig,
    private readonly client: TextsClient | undefined,
  ) {
    const { source, reviewed, customers } = config
    // A review does not change the time of a text. Other sources can tell what has changed.
    this.#isNeeded = client !== undefined && ['export', 'query'].includes(source) && !reviewed
    this.#layers = [undefined, ...customers]
  }

  /** Runs a release unless nothing has changed since the last one that succeeded. Resolves to its result. */
  async ifChanged<T>(release: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { client } = this
    if (!this.#isNeeded || !client) return release()
    const files = JSON.stringify(await readFileInputs(this.config))
    const isDue = this.#rounds++ % WHOLE_EVERY === 0 || files !== this.#files
    const found = isDue ? undefined : await this.#changes?.read(signal)
    if (found && [...found.values()].every((rows) => rows.length === 0)) return undefined
    // From before the release, so that a change during the release is noticed afterwards.
    const changes = found ? this.#changes : await this.#startChanges(client, signal)
    this.#changes = undefined
    const released = await release()
    this.#files = files
    this.#changes = changes
    return released
  }

  /** The changes from now on; `undefined` if the service does not report times. */
  async #startChanges(client: TextsClient, signal: AbortSignal): Promise<ServiceChanges | undefined> {
    const changes = new ServiceChanges(client, this.#layers)
    for (const layer of this.#layers) {
      const order = { sortBy: 'lastModifiedAt', sortOrder: 'desc', page: 0, size: 1 } as const
      const query = { ...order, ...(layer !== undefined && { customerId: layer }) }
      const { translations } = await client.translations.query(query, { signal })
      const time = translations[0] && modifiedAt(translations[0])
      if (time === undefined) return undefined
      changes.noteAllRead(layer, time)
    }
    return changes
  }
}
