/** The data that the browser stores for the pages. If storage is disabled, nothing is stored. */

type StorageName = 'localStorage' | 'sessionStorage'

export function readStored(storage: StorageName, name: string): string | undefined {
  try {
    return window[storage].getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

export function namesStored(storage: StorageName): readonly string[] {
  try {
    return Object.keys(window[storage])
  } catch {
    return []
  }
}

/** `undefined` removes the value. Returns false if storage is full or disabled. */
export function store(storage: StorageName, name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) window[storage].removeItem(name)
    else window[storage].setItem(name, value)
    return true
  } catch {
    return false
  }
}
