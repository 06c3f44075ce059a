/** The actions for the selected keys. */
import { useEffect, useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import type { KeyName } from '../protocol.ts'
import { messageOf, post } from './calls.ts'
import { ActionButton, Checkbox } from './controls.tsx'
import { textsDone } from './decisions.tsx'
import { DeleteDialog } from './delete-keys.tsx'
import { Dialog, TooManyKeys } from './dialog.tsx'
import { count } from './format.ts'
import { MOST_KEYS } from './limits.ts'
import { readAgain } from './live.ts'
import { notice } from './notices.tsx'
import { TranslateForm } from './translate-form.tsx'

interface SelectionBarProps {
  readonly overview: Overview
  readonly keys: readonly KeyName[]
  readonly customer: string | undefined
  /** The languages of the columns. */
  readonly columns: readonly string[]
  readonly onClear: () => void
}

type Asked = 'review' | 'translate' | 'delete'

export function SelectionBar({ overview, keys, customer, columns, onClear }: SelectionBarProps) {
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const { hasService, kind } = overview
  const buttons: readonly (readonly [Asked, string])[] = [
    ...(hasService
      ? ([
          ['review', 'Review…'],
          ['translate', 'Translate…'],
        ] as const)
      : []),
    ['delete', 'Delete…'],
  ]
  if (keys.length === 0) return null
  return (
    <section class="selection actions" aria-label="Selection">
      <strong role="status">{count(keys.length, 'key')} selected</strong>
      {buttons.map(([what, label]) => (
        <button
          key={what}
          type="button"
          class={`button ${what === 'delete' ? 'danger' : ''}`}
          aria-haspopup="dialog"
          onClick={() => ask(what)}
        >
          {label}
        </button>
      ))}
      <button type="button" class="button quiet" onClick={onClear}>
        Clear
      </button>
      {asked === 'delete' && <DeleteDialog {...{ kind, hasService, keys }} onClose={close} onDeleted={onClear} />}
      {asked === 'review' && <ReviewDialog {...{ overview, keys, customer, columns }} onClose={close} />}
      {asked === 'translate' && <TranslateDialog {...{ overview, keys, customer }} onClose={close} />}
    </section>
  )
}

interface DialogProps extends Pick<SelectionBarProps, 'overview' | 'keys' | 'customer'> {
  readonly onClose: () => void
}

function ReviewDialog({ overview, keys, customer, columns, onClose }: DialogProps & { columns: readonly string[] }) {
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
  const title = `Review ${count(keys.length, 'key')}`
  if (keys.length > MOST_KEYS) return <TooManyKeys title={title} onClose={onClose} />
  return (
    <Dialog title={title} onClose={onClose}>
      <fieldset>
        <legend>In</legend>
        <div class="checks">
          {languages.map(({ key, name }) => (
            <Checkbox
              key={key}
              checked={chosen.includes(key)}
              onChange={(on) => choose(on ? [...chosen, key] : chosen.filter((one) => one !== key))}
            >
              <span>
                {name} <code>{key}</code>
              </span>
            </Checkbox>
          ))}
        </div>
      </fieldset>
      <p class="soft small">
        Review states are stored on the service. Texts that differ between files and service are skipped.
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <ActionButton
          label="Mark as not reviewed"
          disabled={chosen.length === 0}
          run={() => run(false)}
          done={textsDone('marked as not reviewed')}
        />
        <ActionButton
          label="Mark as reviewed"
          kind="primary"
          disabled={chosen.length === 0}
          run={() => run(true)}
          done={textsDone('reviewed')}
        />
      </div>
    </Dialog>
  )
}

/** A job is for a whole language: the service has none for single keys. */
function TranslateDialog({ overview, keys, onClose }: DialogProps) {
  const missing = useMissing(keys)
  const first = missing && overview.languages.map(({ key }) => key).filter((key) => (missing.get(key) ?? 0) > 0)
  return (
    <Dialog title={`Translate ${count(keys.length, 'key')}`} onClose={onClose}>
      <p>
        The service translates whole languages. A job translates <strong>every</strong> missing text of its language,
        including the selected ones.
      </p>
      {first && (
        <TranslateForm
          overview={overview}
          first={first}
          noteOf={(key) => `${missing?.get(key) ?? 0} of the selected are missing`}
          onStarted={onClose}
        />
      )}
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}

/** The number of the keys that each language is missing. */
function useMissing(keys: readonly KeyName[]): ReadonlyMap<string, number> | undefined {
  const [missing, setMissing] = useState<ReadonlyMap<string, number>>()
  useEffect(() => {
    post('missing', { keys: [...keys] }).then(
      ({ languages }) => setMissing(new Map(languages)),
      (error: unknown) => notice(messageOf(error), 'error'),
    )
  }, [])
  return missing
}
