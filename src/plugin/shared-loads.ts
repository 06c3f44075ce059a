/**
 * Shares each load among all environments, outputs and plugin instances of a build.
 *
 * Bundlers create one instance for each environment or configuration before the first build begins. They then run the
 * builds one after another. A load is shared with every instance that was created before the load ended, and with every
 * build that begins while another build is using the load. Other instances load again.
 */
export class SharedLoads<T> {
  readonly #loads = new Map<string, SharedLoad<T>>()
  /** Numbers events in their order. Timestamps are not used, because clocks can go backwards. */
  #tick = 0

  /** Called when an instance of the plugin is created. */
  register() {
    const registeredAt = ++this.#tick
    return {
      /**
       * Returns the load with this key if it can be shared. Otherwise, starts a new one. Each call must be followed by
       * one call to `release`.
       */
      acquire: (key: string, load: () => Promise<T>): Promise<T> => {
        const known = this.#loads.get(key)
        const isShared = known && (known.running > 0 || registeredAt < known.settledAt)
        const shared = isShared ? known : this.#begin(key, load)
        shared.running++
        return shared.value
      },
      /** Makes the next `acquire` with this key load again. Has no effect if `loading` has already been replaced. */
      forget: (key: string, loading: Promise<T>): void => {
        if (this.#loads.get(key)?.value === loading) this.#loads.delete(key)
      },
      /** Must be called when the build that acquired the load has ended. */
      release: (key: string): void => {
        const shared = this.#loads.get(key)
        if (shared && shared.running > 0) shared.running--
      },
    }
  }

  #begin(key: string, load: () => Promise<T>): SharedLoad<T> {
    const shared: SharedLoad<T> = { value: load(), running: 0, settledAt: Number.POSITIVE_INFINITY }
    this.#loads.set(key, shared)
    const settle = () => {
      shared.settledAt = ++this.#tick
    }
    shared.value.then(settle, () => {
      settle()
      // The next build loads again.
      if (this.#loads.get(key) === shared) this.#loads.delete(key)
    })
    return shared
  }
}

interface SharedLoad<T> {
  readonly value: Promise<T>
  running: number
  settledAt: number
}
