/** Small pieces that every view uses. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActionAnswer, Cell, TextState } from '../wire.ts'

export const count = (value: number, noun: string): string =>
  `${value.toLocaleString('en')} ${noun}${value === 1 ? '' : 's'}`

/** Never 100% while one is missing. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${part === whole ? 100 : Math.min(99, Math.floor((part / whole) * 100))}%`

export const STATE_NAMES: Readonly<Record<TextState, string>> = {
  conflict: 'conflict',
  held: 'held',
  waiting: 'waiting to be sent',
  refused: 'refused by the service',
  newer: "the service's is newer",
}

export function StateChip({ state }: { state: TextState }) {
  return <span class={`chip chip-${state}`}>{STATE_NAMES[state]}</span>
}

export function originText({ origin, from }: Cell): string {
  switch (origin) {
    case 'file':
      return 'file'
    case 'service':
      return 'service'
    case 'fallback':
      return `fallback: ${from}`
    case 'pseudo':
      return 'pseudo'
    default:
      return 'missing'
  }
}

export interface ActionButtonProps {
  readonly label: string
  /** What it is about, for those who do not see its neighbours. */
  readonly about?: string
  readonly kind?: 'primary' | 'plain' | 'danger'
  /** Asked before anything is done. */
  readonly confirm?: { readonly title: string; readonly text: string }
  readonly disabled?: boolean
  readonly run: () => Promise<ActionAnswer | undefined>
  readonly onDone?: (answer: ActionAnswer | undefined) => void
}

/** A button that is busy while its call runs and says what went wrong. */
export function ActionButton({ label, about, kind = 'plain', confirm, disabled, run, onDone }: ActionButtonProps) {
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState(false)
  const say = useSay()
  const act = async () => {
    setAsking(false)
    setBusy(true)
    try {
      const answer = await run()
      for (const problem of answer?.problems.slice(0, 3) ?? []) say(problem, 'error')
      onDone?.(answer)
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), 'error')
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button
        type="button"
        class={`button ${kind}`}
        aria-label={about === undefined ? undefined : `${label}: ${about}`}
        aria-busy={busy}
        disabled={disabled || busy}
        onClick={() => (confirm ? setAsking(true) : void act())}
      >
        {busy ? <span class="spin" aria-hidden="true" /> : null}
        {label}
      </button>
      {asking && confirm ? (
        <Dialog title={confirm.title} onClose={() => setAsking(false)}>
          <p>{confirm.text}</p>
          <div class="actions">
            <button type="button" class="button plain" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button type="button" class={`button ${kind === 'plain' ? 'primary' : kind}`} onClick={() => void act()}>
              {label}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}

function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}

type Say = (text: string, kind?: 'info' | 'error') => void
interface Notice {
  readonly id: number
  readonly text: string
  readonly kind: 'info' | 'error'
}
const sayers = new Set<Say>()
let notices = 0

/** Tells the person something for a while. */
export function useSay(): Say {
  return (text, kind = 'info') => {
    for (const say of sayers) say(text, kind)
  }
}

const SHOWN_MS = 7_000

export function Notices() {
  const [list, setList] = useState<readonly Notice[]>([])
  useEffect(() => {
    const say: Say = (text, kind = 'info') => {
      const id = ++notices
      setList((before) => [...before.slice(-3), { id, text, kind }])
      setTimeout(() => setList((before) => before.filter((one) => one.id !== id)), SHOWN_MS)
    }
    sayers.add(say)
    return () => {
      sayers.delete(say)
    }
  }, [])
  return (
    <div class="notices" role="status">
      {list.map(({ id, text, kind }) => (
        <div key={id} class={`notice ${kind}`}>
          {text}
        </div>
      ))}
    </div>
  )
}

/** Two texts with what differs between them marked: what they have in common at both ends is left plain. */
export function Differing({ text, other }: { text: string; other: string | null }) {
  if (other === null || text === other) return <span dir="auto">{text}</span>
  let start = 0
  while (start < text.length && start < other.length && text[start] === other[start]) start++
  let end = 0
  while (end < text.length - start && end < other.length - start && text.at(-1 - end) === other.at(-1 - end)) end++
  const stop = text.length - end
  return (
    <span dir="auto">
      {text.slice(0, start)}
      <mark>{text.slice(start, stop)}</mark>
      {text.slice(stop)}
    </span>
  )
}

export function Waiting({ what }: { what: string }) {
  return (
    <p class="soft" role="status">
      <span class="spin" aria-hidden="true" /> {what}
    </p>
  )
}

export function Trouble({ message }: { message: string }) {
  return (
    <p class="trouble" role="alert">
      {message}
    </p>
  )
}
