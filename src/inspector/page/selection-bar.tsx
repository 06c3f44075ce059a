/** The actions for the selected keys. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { keyId } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import type { Overview } from '../overview.ts'
import type { KeyName } from '../protocol.ts'
import { get, messageOf, post, readAgain } from './calls.ts'
import {
  ActionButton,
  Button,
  Dialog,
  DialogButton,
  LanguageChecks,
  MOST_KEYS,
  notice,
  TooManyKeys,
} from './controls.tsx'
import { textsDone } from './decisions.tsx'
import { DeleteDialog } from './delete-keys.tsx'
import type { Filters } from './route.ts'
import { TranslateForm } from './service.tsx'

interface SelectionBarProps {
  readonly overview: Overview
  readonly keys: readonly KeyName[]
  readonly customer: string | undefined
  /** The languages shown as columns. */
  readonly columns: readonly string[]
  readonly onClear: () => void
}

export function SelectionBar({ overview, keys, customer, columns, onClear }: SelectionBarProps) {
  const { hasService, kind } = overview
  if (keys.length === 0) return null
  return (
    <section class="selection actions" aria-label="Selection">
      <strong role="status">{count(keys.length, 'key')} selected</strong>
      {hasService && (
        <>
          <DialogButton label="Review…">
            {(close) => <ReviewDialog {...{ overview, keys, customer, columns }} onClose={close} />}
          </DialogButton>
          <DialogButton label="Translate…">
            {(close) => <TranslateDialog {...{ overview, keys }} onClose={close} />}
          </DialogButton>
        </>
      )}
      <DialogButton label="Delete…" kind="danger">
        {(close) => <DeleteDialog {...{ kind, hasService, keys }} onClose={close} onDeleted={onClear} />}
      </DialogButton>
      <Button label="Clear" kind="quiet" onClick={onClear} />
    </section>
  )
}

type DialogProps = Omit<SelectionBarProps, 'onClear'> & { onClose: () => void }

function ReviewDialog({ overview, keys, customer, columns, onClose }: DialogProps) {
  const languages = overview.languages.filter(({ isPseudo }) => !isPseudo)
  const [chosen, choose] = useState<readonly string[]>(
    languages.map(({ key }) => key).filter((key) => columns.includes(key)),
  )
  const run = async (isReviewed: boolean) => {
    const answer = await post('review', { keys: [...keys], languages: [...chosen], customer, isReviewed })
    readAgain()
    if (answer.done === 0 && answer.problems.length === 0) notice('they already have this review state')
    if (answer.problems.length === 0) onClose()
    return answer
  }
  const button = (isReviewed: boolean) => (
    <ActionButton
      label={isReviewed ? 'Mark as reviewed' : 'Mark as not reviewed'}
      kind={isReviewed ? 'primary' : undefined}
      disabled={chosen.length === 0}
      run={() => run(isReviewed)}
      done={textsDone(isReviewed ? 'reviewed' : 'marked as not reviewed')}
    />
  )
  const title = `Review ${count(keys.length, 'key')}`
  if (keys.length > MOST_KEYS) return <TooManyKeys title={title} onClose={onClose} />
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {button(false)}
          {button(true)}
        </>
      }
    >
      <LanguageChecks legend="In" languages={languages} chosen={chosen} onChange={choose} />
      <p class="soft small">
        Review states are stored on the service. Texts that differ between files and service are skipped.
      </p>
    </Dialog>
  )
}

/** Translates whole languages, because the service has no jobs for single keys. */
function TranslateDialog({ overview, keys, onClose }: Omit<DialogProps, 'customer' | 'columns'>) {
  /** The number of these keys that each language is missing. */
  const [missing, setMissing] = useState<ReadonlyMap<string, number>>()
  useEffect(() => {
    post('missing', { keys: [...keys] }).then(
      ({ languages }) => setMissing(new Map(languages)),
      (error: unknown) => notice(messageOf(error), 'error'),
    )
  }, [])
  return (
    <Dialog title={`Translate ${count(keys.length, 'key')}`} onClose={onClose}>
      <p>
        The service translates whole languages. Each job translates <strong>every</strong> missing text in its language,
        not only those of the selected keys.
      </p>
      {missing && <TranslateForm {...{ overview, missing }} onStarted={onClose} />}
    </Dialog>
  )
}

export type Selection = ReturnType<typeof useSelection>

const entryOf = ({ namespace, key }: KeyName) => [keyId({ namespace, key }), { namespace, key }] as const

/** Clears the selection when the filters change, because selected rows must be visible. */
export function useSelection(filters: Filters) {
  const [selected, setSelected] = useState<ReadonlyMap<string, KeyName>>(new Map())
  /** The row at which a range selection starts. */
  const anchor = useRef<number>(undefined)
  const { sort: _, ...shown } = filters
  /** Returns false if nothing was selected. */
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
    has: (row: KeyName) => selected.has(keyId(row)),
    clear,
    toggle(row: KeyName, index: number) {
      anchor.current = index
      setSelected((before) => {
        const next = new Map(before)
        if (!next.delete(keyId(row))) next.set(...entryOf(row))
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
