/** Where the person is, in the address: every view can be linked to and gone back from. */
import { useEffect, useState } from 'preact/hooks'

export type View = 'overview' | 'texts' | 'sync' | 'service' | 'log'
const VIEWS: readonly View[] = ['overview', 'texts', 'sync', 'service', 'log']

export interface Route {
  readonly view: View
  readonly query: Readonly<Record<string, string>>
}

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const view = VIEWS.find((name) => name === path) ?? 'overview'
  return { view, query: Object.fromEntries(new URLSearchParams(search)) }
}

/** Names with no value are left out. */
export function hrefOf(view: View, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(given).toString()
  return `#/${view}${search === '' ? '' : `?${search}`}`
}

export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash) return
  if (replace) {
    history.replaceState(null, '', href)
    window.dispatchEvent(new HashChangeEvent('hashchange'))
  } else location.hash = href
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash))
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [])
  return route
}
