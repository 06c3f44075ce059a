/** State that outlives a view: filters, kept in the URL so that links and the back button work, and stored values. */
import { useEffect, useState } from 'preact/hooks'
import type { Requests } from '../endpoints.ts'

const VIEWS = ['overview', 'texts', 'sync', 'service', 'log'] as const
export type View = (typeof VIEWS)[number]

export type Query = Readonly<Record<string, string | undefined>>

/** The filters and sort order of the texts table. */
export type Filters = Omit<Requests['rows'], 'from' | 'count' | 'stays'>

function parseRoute(hash: string): { view: View; query: Query } {
  const [path, search] = hash.replace(/^#\/?/, '').split('?', 2)
  const view = VIEWS.find((name) => name === path) ?? 'overview'
  return { view, query: Object.fromEntries(new URLSearchParams(search)) }
}

/** Omits names without a value. */
export function hrefOf(view: View, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value)
  return `#/${view}${search.size === 0 ? '' : `?${search}`}`
}

/** Changes the current view's query. `replace` adds no entry to the browser's history. */
export function changeQuery(changes: Query, { replace = false } = {}): void {
  const { view, query } = parseRoute(location.hash)
  const href = hrefOf(view, { ...query, ...changes })
  if (href === location.hash) return
  if (!replace) {
    location.hash = href
    return
  }
  history.replaceState(null, '', href)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}

export function useRoute() {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [])
  return parseRoute(hash)
}

type StorageName = 'localStorage' | 'sessionStorage'

/** Values that the browser does not store, because storage is full or disabled. They are lost with the page. */
const held = new Map<string, string>()

export function readStored(storage: StorageName, name: string): string | undefined {
  try {
    return window[storage].getItem(name) ?? held.get(name)
  } catch {
    return held.get(name)
  }
}

export function namesStored(storage: StorageName): readonly string[] {
  try {
    return [...Object.keys(window[storage]), ...held.keys()]
  } catch {
    return [...held.keys()]
  }
}

/** `undefined` removes the value. */
export function store(storage: StorageName, name: string, value: string | undefined): void {
  held.delete(name)
  try {
    // If storage is full, the old value would remain and hide the new one.
    window[storage].removeItem(name)
    if (value !== undefined) window[storage].setItem(name, value)
  } catch {
    if (value !== undefined) held.set(name, value)
  }
}
