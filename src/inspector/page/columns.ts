/** The languages in the texts table: from the address, or as last selected in this browser. */
import type { Overview } from '../overview.ts'
import { changeQuery } from './route.ts'
import { readStored, store } from './stored.ts'

const nameOf = (project: string) => `localization-columns ${project}`

/** The default language comes first. */
export function allColumns({ languages }: Overview): readonly string[] {
  return [...languages].sort((a, b) => Number(b.isDefault) - Number(a.isDefault)).map(({ key }) => key)
}

/** `inAddress`: comma-separated keys. Languages that the project does not have are ignored. */
export function chosenColumns(overview: Overview, inAddress: string | undefined): readonly string[] {
  const all = allColumns(overview)
  const given = (inAddress ?? readStored('localStorage', nameOf(overview.project)) ?? '').split(',')
  const chosen = all.filter((key) => given.includes(key))
  return chosen.length === 0 ? all : chosen
}

/** Also stored in the address, so that a link shows the same columns. */
export function chooseColumns(overview: Overview, columns: readonly string[]): void {
  const chosen = columns.length === overview.languages.length ? undefined : columns.join()
  store('localStorage', nameOf(overview.project), chosen)
  changeQuery({ columns: chosen }, { replace: true })
}
