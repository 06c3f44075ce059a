/** What the browser keeps for the pages. Storage can be turned off: nothing is kept then. */

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

/** False: storage is full or turned off, and the value holds until the page is loaded again. `undefined` removes it. */
export function store(storage: StorageName, name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) window[storage].removeItem(name)
    else window[storage].setItem(name, value)
    return true
  } catch {
    return false
  }
}
