/** The keys that the user has selected in the texts table. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { KeyName } from '../protocol.ts'
import { get, messageOf } from './calls.ts'
import type { Filters } from './filters.ts'
import { notice } from './notices.tsx'

export type Selection = ReturnType<typeof useSelection>

const idOf = ({ namespace, key }: KeyName) => JSON.stringify([namespace, key])
const entryOf = ({ namespace, key }: KeyName) => [idOf({ namespace, key }), { namespace, key }] as const

/** Changing the filters clears the selection, because selected rows must be visible. */
export function useSelection(filters: Filters) {
  const [selected, setSelected] = useState<ReadonlyMap<string, KeyName>>(new Map())
  /** The row where a range selection starts. */
  const anchor = useRef<number>(undefined)
  const { sort: _, ...shown } = filters
  /** False if nothing was selected. */
  const clear = () => {
    anchor.current = undefined
    setSelected(new Map())
    return selected.size > 0
  }
  useEffect(() => void clear(), [JSON.stringify(shown)])
  useEffect(() => {
    anchor.current = undefined
  }, [filters.sort])
  const find = async (range: { readonly from?: number; readonly count?: number }) => {
    try {
      const { keys, total } = await get('found', { ...filters, ...range })
      setSelected((before) => new Map([...before, ...keys.map(entryOf)]))
      if (range.count === undefined && keys.length < total) notice(`only the first ${keys.length} keys are selected`)
    } catch (error) {
      notice(messageOf(error), 'error')
    }
  }
  return {
    keys: [...selected.values()],
    has: (row: KeyName) => selected.has(idOf(row)),
    clear,
    toggle(row: KeyName, index: number) {
      anchor.current = index
      setSelected((before) => {
        const next = new Map(before)
        if (!next.delete(idOf(row))) next.set(...entryOf(row))
        return next
      })
    },
    /** Selects all rows between the last selected one and this one. */
    extend(index: number, from: number) {
      anchor.current ??= from
      const first = Math.min(anchor.current, index)
      void find({ from: first, count: Math.abs(anchor.current - index) + 1 })
    },
    selectAll: () => void find({}),
  }
}
