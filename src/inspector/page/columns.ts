/** Which languages the texts table shows, in which order: of the address, else as last chosen in this browser. */
import type { Overview } from '../overview.ts'
import { changeQuery } from './route.ts'
import { readStored, store } from './stored.ts'

type Languages = Pick<Overview, 'languages' | 'project'>

const nameOf = (project: string) => `localization-columns ${project}`

/** The default language first. */
export function allColumns({ languages }: Pick<Overview, 'languages'>): readonly string[] {
  return [...languages].sort((a, b) => Number(b.isDefault) - Number(a.isDefault)).map(({ key }) => key)
}

/** `inAddress`: keys with commas between them. What the project does not have counts for nothing. */
export function chosenColumns(overview: Languages, inAddress: string | undefined): readonly string[] {
  const all = allColumns(overview)
  const given = inAddress ?? readStored('localStorage', nameOf(overview.project)) ?? ''
  const chosen = [...new Set(given.split(','))].filter((key) => all.includes(key))
  return chosen.length === 0 ? all : chosen
}

/** The address has them too, so that a link shows the same. */
export function chooseColumns(overview: Languages, columns: readonly string[]): void {
  const isDefault = columns.join() === allColumns(overview).join()
  const chosen = isDefault || columns.length === 0 ? undefined : columns.join()
  store('localStorage', nameOf(overview.project), chosen)
  changeQuery({ columns: chosen }, { replace: true })
}

/** `step`: -1 is one to the front. */
export function moved<Item>(items: readonly Item[], item: Item, step: number): readonly Item[] {
  const from = items.indexOf(item)
  const to = Math.min(Math.max(0, from + step), items.length - 1)
  if (from < 0 || from === to) return items
  const others = items.filter((one) => one !== item)
  return [...others.slice(0, to), item, ...others.slice(to)]
}
