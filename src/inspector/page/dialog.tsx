/** A modal dialog. Escape closes it, and the focus returns to where it was. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { MOST_KEYS } from './limits.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps) {
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
    </dialog>
  )
}

/** Shown instead of a dialog whose request the server would reject. */
export function TooManyKeys({ title, onClose }: Pick<DialogProps, 'title' | 'onClose'>) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p role="alert">
        At most {MOST_KEYS.toLocaleString('en')} keys at a time. Select fewer: choose a namespace or a filter, or select
        a part of the rows with Shift and the arrow keys.
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
