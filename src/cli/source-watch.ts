/** Tells `release --watch` whether texts may have changed, without reading all of them. */
import { modifiedAt, ServiceChanges } from '../api/changes.ts'
import type { Client } from '../api/client.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { readFileInputs } from '../sources/files.ts'

/** Every 20th round reads everything, because the list of changes may miss a deletion. */
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
    // Reviewing a text does not change its time. Sources not listed here report changes themselves.
    this.#isNeeded = client !== undefined && ['export', 'query'].includes(source) && !reviewed
    this.#layers = [undefined, ...customers]
  }

  /** Runs `release` if something has changed since its last successful run. Otherwise, resolves to `undefined`. */
  async ifChanged<T>(release: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { client } = this
    if (!this.#isNeeded || !client) return release()
    const files = JSON.stringify(await readFileInputs(this.config))
    const isDue = this.#rounds++ % WHOLE_EVERY === 0 || files !== this.#files
    const found = isDue ? undefined : await this.#changes?.read(signal)
    if (found && [...found.values()].every((rows) => rows.length === 0)) return undefined
    // Starts before the release, so that the next round notices changes made during the release.
    const changes = found ? this.#changes : await this.#startChanges(client, signal)
    this.#changes = undefined
    const released = await release()
    this.#files = files
    this.#changes = changes
    return released
  }

  /** Starts to follow changes. Resolves to `undefined` if the service does not report times. */
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
