/**
 * One load per build, however many environments, outputs and plugin instances share it.
 *
 * Bundlers make an instance per environment or per configuration, all of them before the first build begins, and then run the builds
 * one after another. So a load serves every instance that existed before the load was over, and every instance that comes while a
 * build which uses it is still running. An instance made later begins a new build and loads anew.
 */

interface SharedLoad<T> {
  readonly value: Promise<T>
  running: number
  settledAt: number | undefined
}

/** One instance of the plugin, registered when it is made. */
export interface LoadTicket<T> {
  /** A load under the same key where it may be shared, else a new one. Each call is answered by one `release`. */
  acquire(key: string, load: () => Promise<T>): Promise<T>
  /** The build that acquired it is over. */
  release(key: string): void
}

export interface LoadShares<T> {
  register(): LoadTicket<T>
}

export function createLoadShares<T>(): LoadShares<T> {
  const loads = new Map<string, SharedLoad<T>>()
  // An order, not a time: no clock can go back on it.
  let tick = 0

  const begin = (key: string, load: () => Promise<T>): SharedLoad<T> => {
    const shared: SharedLoad<T> = { value: load(), running: 0, settledAt: undefined }
    loads.set(key, shared)
    const settle = () => {
      shared.settledAt = ++tick
    }
    shared.value.then(settle, () => {
      settle()
      // A failed load is nobody's: the next build tries again.
      if (loads.get(key) === shared) loads.delete(key)
    })
    return shared
  }

  return {
    register() {
      const registeredAt = ++tick
      const mayShare = ({ settledAt, running }: SharedLoad<T>) =>
        settledAt === undefined || registeredAt < settledAt || running > 0
      return {
        acquire(key, load) {
          const known = loads.get(key)
          const shared = known && mayShare(known) ? known : begin(key, load)
          shared.running++
          return shared.value
        },
        release(key) {
          const shared = loads.get(key)
          if (shared && shared.running > 0) shared.running--
        },
      }
    },
  }
}
