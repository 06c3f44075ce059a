/** The rows that are seen, fetched in blocks as they are scrolled to. What is shown stays until what replaces it is there. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Row, RowsAnswer } from '../wire.ts'
import { get, type Query } from './api.ts'
import { useEvent } from './live.ts'

const BLOCK = 60
/** Fast scrolling passes many blocks nobody looks at. */
const SETTLE_MS = 60
const KEPT_BLOCKS = 40

export interface Rows {
  /** `undefined`: not known yet. */
  readonly total: number | undefined
  readonly failure: string | undefined
  at(index: number): Row | undefined
}

interface Blocks {
  readonly id: string
  total: number | undefined
  rows: Map<number, readonly Row[]>
  /** Blocks that were loaded before the last change. */
  stale: Set<number>
}

export function useRows(query: Query, first: number, last: number): Rows {
  const id = JSON.stringify(query)
  const blocks = useRef<Blocks>({ id, total: undefined, rows: new Map(), stale: new Set() })
  const [, render] = useState(0)
  const [failure, setFailure] = useState<string>()
  const [change, setChange] = useState(0)
  const shown = useRef(id)
  shown.current = id

  useEvent('change', () => {
    for (const block of blocks.current.rows.keys()) blocks.current.stale.add(block)
    setChange((before) => before + 1)
  })

  const from = Math.floor(first / BLOCK)
  const to = Math.floor(Math.max(first, last) / BLOCK)
  useEffect(() => {
    const isNew = blocks.current.id !== id
    const wanted: number[] = []
    for (let block = from; block <= to; block++) {
      if (isNew || !blocks.current.rows.has(block) || blocks.current.stale.has(block)) wanted.push(block)
    }
    if (wanted.length === 0) return
    const ending = new AbortController()
    const load = async () => {
      for (const block of wanted) {
        try {
          const answer = await get<RowsAnswer>('rows', { ...query, from: block * BLOCK, count: BLOCK }, ending.signal)
          if (shown.current !== id) return
          if (blocks.current.id !== id) blocks.current = { id, total: undefined, rows: new Map(), stale: new Set() }
          const { rows, stale } = blocks.current
          blocks.current.total = answer.total
          rows.delete(block)
          rows.set(block, answer.rows)
          stale.delete(block)
          for (const old of rows.keys()) if (rows.size > KEPT_BLOCKS && (old < from || old > to)) rows.delete(old)
          setFailure(undefined)
          render((before) => before + 1)
        } catch (error) {
          if (!ending.signal.aborted) setFailure(error instanceof Error ? error.message : String(error))
        }
      }
    }
    const timer = setTimeout(load, blocks.current.total === undefined || isNew ? 0 : SETTLE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
    // `id` stands for the query.
  }, [id, from, to, change])

  return {
    total: blocks.current.total,
    failure,
    at: (index) => blocks.current.rows.get(Math.floor(index / BLOCK))?.[index % BLOCK],
  }
}
