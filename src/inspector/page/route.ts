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

/** The browser's storage. If it is disabled, nothing is stored. */
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
