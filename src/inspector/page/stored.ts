/** What the browser keeps for the pages. Storage can be turned off: nothing is kept then. */

type StorageName = 'localStorage' | 'sessionStorage'

export function readStored(storage: StorageName, name: string): string | undefined {
  try {
    return window[storage].getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

export function store(storage: StorageName, name: string, value: string): void {
  try {
    window[storage].setItem(name, value)
  } catch {
    // The value holds until the page is loaded again.
  }
}
