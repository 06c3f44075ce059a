/**
 * One load per build, however many environments, outputs and plugin instances share it.
 *
 * Bundlers make an instance per environment or per configuration, all of them before the first build begins, and then
 * run the builds one after another. So a load serves every instance that existed before the load was over, and every
 * instance that comes while a build which uses it is still running. An instance made later begins a new build and loads
 * again.
 */
export class SharedLoads<T> {
  readonly #loads = new Map<string, SharedLoad<T>>()
  /** An order, not a time: no clock can go back on it. */
  #tick = 0

  /** Called when an instance of the plugin is made. */
  register(): LoadTicket<T> {
    const registeredAt = ++this.#tick
    return {
      acquire: (key, load) => {
        const known = this.#loads.get(key)
        const isShared = known && (known.running > 0 || registeredAt < known.settledAt)
        const shared = isShared ? known : this.#begin(key, load)
        shared.running++
        return shared.value
      },
      forget: (key, loading) => {
        if (this.#loads.get(key)?.value === loading) this.#loads.delete(key)
      },
      release: (key) => {
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
      // The next build tries again.
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

export interface LoadTicket<T> {
  /** A load under the same key where it may be shared, else a new one. Each call is followed by one `release`. */
  acquire(key: string, load: () => Promise<T>): Promise<T>
  /** The build that acquired the load is over. */
  release(key: string): void
  /** The next `acquire` under this key loads again, unless another user of `loading` has already begun a new load. */
  forget(key: string, loading: Promise<T>): void
}
