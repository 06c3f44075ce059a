/** The controls that all views share. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { count } from '../../shared/figures.ts'
import type { ActionAnswer } from '../protocol.ts'
import { type Live, messageOf, post } from './calls.ts'

interface CardProps {
  readonly title: string
  /** Shown next to the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export function Card({ title, actions, children }: CardProps) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** Shows the data once it has loaded, or the error. */
export function Loaded<Data>(props: { live: Live<Data>; children: (data: Data) => ComponentChildren }) {
  const { live, children } = props
  const { data, failure } = live
  return (
    <>
      {failure !== undefined && <ErrorText message={failure} />}
      {data !== undefined ? children(data) : failure === undefined && <Busy what="Loading" />}
    </>
  )
}

export function Busy({ what }: { what: string }) {
  return (
    <p class="soft" role="status">
      <span class="spin" aria-hidden="true" /> {what}
    </p>
  )
}

export function ErrorText({ message }: { message: string }) {
  return (
    <p class="trouble" role="alert">
      {message}
    </p>
  )
}

interface ButtonProps {
  readonly label: string
  /** The subject of the action, for screen readers. */
  readonly about?: string | undefined
  readonly kind?: 'danger' | 'quiet' | 'primary' | 'link' | undefined
  readonly opensDialog?: boolean
  readonly disabled?: boolean | undefined
  readonly isBusy?: boolean
  readonly onClick: () => void
}

export function Button({ label, about, kind, opensDialog, disabled, isBusy, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind ?? ''}`}
      aria-label={about && `${label}: ${about}`}
      aria-haspopup={opensDialog ? 'dialog' : undefined}
      aria-busy={isBusy}
      disabled={disabled || isBusy}
      onClick={() => onClick()}
    >
      {isBusy && <span class="spin" aria-hidden="true" />}
      {label}
    </button>
  )
}

/** A button that opens a dialog. */
export function DialogButton(
  props: Pick<ButtonProps, 'label' | 'kind'> & { readonly children: (close: () => void) => ComponentChildren },
) {
  const { children, ...button } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} opensDialog onClick={() => setOpen(true)} />
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

/** A checkbox for each language. */
export function LanguageChecks<Language extends { readonly key: string; readonly name: string }>(props: {
  readonly legend: string
  readonly languages: readonly Language[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  /** Shown next to the name. */
  readonly note?: (language: Language) => ComponentChildren
  /** If true, the last chosen language cannot be unchecked. */
  readonly needsOne?: boolean
}) {
  const { legend, languages, chosen, onChange, note, needsOne } = props
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div class="checks">
        {languages.map((language) => (
          <Checkbox
            key={language.key}
            checked={chosen.includes(language.key)}
            disabled={needsOne && chosen.length === 1 && chosen[0] === language.key}
            onChange={(on) => onChange(on ? [...chosen, language.key] : chosen.filter((one) => one !== language.key))}
          >
            <span>
              {language.name} <code>{language.key}</code> {note?.(language)}
            </span>
          </Checkbox>
        ))}
      </div>
    </fieldset>
  )
}

type CheckboxProps = { checked: boolean; disabled?: boolean | undefined; children: ComponentChildren }

export function Checkbox({ children, onChange, ...input }: CheckboxProps & { onChange: (checked: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" {...input} onChange={(event) => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly onChange: (value: string) => void
}

export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

export interface ActionButtonProps extends Pick<ButtonProps, 'label' | 'about' | 'kind' | 'disabled'> {
  /** Asked before the action runs. */
  readonly confirm?: { readonly title: string; readonly text: string } | false
  readonly run: () => Promise<ActionAnswer>
  /** The notice to show after the action has succeeded. */
  readonly done?: (done: number) => string
}

/** A button that is busy while its action runs, and then shows the result. */
export function ActionButton({ confirm, run, done, ...button }: ActionButtonProps) {
  const { label, kind = 'primary' } = button
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const act = async () => {
    setAsking(false)
    setBusy(true)
    try {
      const answer = await run()
      for (const problem of answer.problems.slice(0, 3)) notice(problem, 'error')
      if (done && answer.done > 0) notice(done(answer.done))
    } catch (error) {
      notice(messageOf(error), 'error')
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button {...button} isBusy={isBusy} onClick={() => (confirm ? setAsking(true) : void act())} />
      {isAsking && confirm && (
        <Dialog
          title={confirm.title}
          actions={<Button label={label} kind={kind} onClick={() => void act()} />}
          onClose={() => setAsking(false)}
        >
          <p>{confirm.text}</p>
        </Dialog>
      )}
    </>
  )
}

/** A place in a file, such as `src/app.ts:3:5`, which opens in the user's editor. */
export function PlaceLink({ place }: { place: string }) {
  return (
    <span class="place">
      <ActionButton kind="link" label={place} about="open in your editor" run={() => post('open', { place })} />
    </span>
  )
}

type Notice = { id: number; text: string; kind: 'info' | 'error' }

const MOST_NOTICES = 4
const SHOWN_MS = 7_000

let show: ((notice: Notice) => void) | undefined
let lastId = 0

/** Shows a message for a few seconds. */
export function notice(text: string, kind: Notice['kind'] = 'info'): void {
  show?.({ id: ++lastId, text, kind })
}

export function Notices() {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  useEffect(() => {
    show = (made) => {
      setNotices((before) => [...before.slice(1 - MOST_NOTICES), made])
      setTimeout(() => setNotices((before) => before.filter((one) => one !== made)), SHOWN_MS)
    }
  }, [])
  return (
    <div class="notices" role="status">
      {notices.map(({ id, text, kind }) => (
        <div key={id} class={`notice ${kind}`}>
          {text}
        </div>
      ))}
    </div>
  )
}

interface DialogProps extends CardProps {
  /** The label of the button that closes the dialog. Default `Cancel`. */
  readonly closeLabel?: string
  readonly onClose: () => void
}

/** `actions` are shown after the button that closes the dialog. */
export function Dialog({ title, actions, closeLabel = 'Cancel', onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    const opener = (element?.getRootNode() as Document | ShadowRoot | undefined)?.activeElement
    element?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <div class="actions">
        <Button label={closeLabel} onClick={onClose} />
        {actions}
      </div>
    </dialog>
  )
}

/** Shown instead of a dialog whose request the server would reject. */
export function TooManyKeys({ title, onClose }: Pick<DialogProps, 'title' | 'onClose'>) {
  return (
    <Dialog title={title} closeLabel="Close" onClose={onClose}>
      <p role="alert">
        At most {count(MOST_KEYS, 'key')} at a time. Select fewer: choose a namespace or a filter, or select some of the
        rows with Shift and the arrow keys.
      </p>
    </Dialog>
  )
}

/** Keep equal to `MOST_KEYS` in `endpoint.ts`, which the page cannot import because it contains the schemas. */
export const MOST_KEYS = 1_000
