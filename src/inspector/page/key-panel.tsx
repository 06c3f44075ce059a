/** One text in every language, to be changed where it is seen. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActionAnswer, KeyAnswer, KeyText, Overview } from '../wire.ts'
import { post } from './api.ts'
import { useLive } from './live.ts'
import { ActionButton, originText, StateChip, Trouble, useSay, Waiting } from './parts.tsx'
import { ConflictButtons, ConflictSides, HoldButtons, HoldSides } from './sync.tsx'

export interface KeyPanelProps {
  readonly overview: Overview
  readonly namespace: string
  readonly textKey: string
  readonly customer: string | undefined
  readonly onClose: () => void
}

export function KeyPanel({ overview, namespace, textKey, customer, onClose }: KeyPanelProps) {
  const { data, failure } = useLive<KeyAnswer>('change', 'key', { namespace, key: textKey, customer })
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [namespace, textKey])
  return (
    <aside
      class="panel"
      aria-label={`Text ${textKey}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !(event.target as HTMLElement).closest('dialog')) onClose()
      }}
    >
      <div class="head">
        <h2 ref={heading} tabIndex={-1} class="key-name">
          {textKey}
        </h2>
        <button type="button" class="button quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      <p class="soft small">
        {namespace}
        {customer === undefined ? '' : ` · customer ${customer}`}
      </p>
      {failure ? <Trouble message={failure.message} /> : null}
      {data || failure ? null : <Waiting what="Loading" />}
      {data && isGone(data) ? <Trouble message="The project has no text of this key." /> : null}
      {data && !isGone(data) ? <Uses usedAt={data.usedAt} /> : null}
      {data && !isGone(data)
        ? ordered(data.texts, overview).map((text) => (
            <TextEditor
              key={`${namespace} ${textKey} ${customer} ${text.language}`}
              text={text}
              overview={overview}
              answer={data}
            />
          ))
        : null}
    </aside>
  )
}

/** An old link, or a key that was taken out. */
function isGone({ texts }: KeyAnswer): boolean {
  return texts.every(({ text, inFile, theirs }) => text === '' && inFile === null && theirs === null)
}

/** The default language first: it is what the others translate. */
function ordered(texts: readonly KeyText[], { defaultLanguage }: Overview): readonly KeyText[] {
  return [
    ...texts.filter(({ language }) => language === defaultLanguage),
    ...texts.filter(({ language }) => language !== defaultLanguage),
  ]
}

function Uses({ usedAt }: { usedAt: readonly string[] | null }) {
  if (usedAt === null) return null
  if (usedAt.length === 0) return <p class="soft small">No source file spells this key.</p>
  return (
    <details class="uses">
      <summary>
        Used in {usedAt.length === 1 ? 'one place' : `${usedAt.length} places`}: <code>{usedAt[0]}</code>
      </summary>
      <ul class="plain small">
        {usedAt.map((place) => (
          <li key={place}>
            <code>{place}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

function TextEditor({ text, overview, answer }: { text: KeyText; overview: Overview; answer: KeyAnswer }) {
  const { language, own, canEdit, conflict, hold, state } = text
  const [draft, setDraft] = useState<string>()
  /** What both sides had when the person began: an edit must not go over what somebody else saved since. */
  const [began, setBegan] = useState<{ expected: string | null; theirs: string | null }>({
    expected: null,
    theirs: null,
  })
  const say = useSay()
  const name = overview.languages.find(({ key }) => key === language)?.name ?? language
  const value = draft ?? own
  const isChanged = draft !== undefined && draft !== own
  const type = (next: string) => {
    if (draft === undefined) setBegan({ expected: text.inFile, theirs: text.theirs })
    setDraft(next === own ? undefined : next)
  }
  const save = async (): Promise<ActionAnswer | undefined> => {
    const { namespace, key, customer } = answer
    const ref = { language, namespace, key, ...(customer !== null && { customer }) }
    return post<ActionAnswer>('edit', { ref, text: value, ...began })
  }
  const onSaved = (result: ActionAnswer | undefined) => {
    if (!result || result.problems.length > 0) return
    setDraft(undefined)
    say(`saved: ${language} ${answer.key}`)
  }
  const button = useRef<HTMLDivElement>(null)
  return (
    <section class={`editor ${state ? `is-${state}` : ''}`} aria-label={name}>
      <div class="editor-head">
        <label for={`text-${language}`}>
          {name} <code>{language}</code>
        </label>
        <span class={`origin ${text.origin}`}>{originText(text)}</span>
        {state ? <StateChip state={state} /> : null}
        {text.isReviewed === undefined ? null : (
          <span class={text.isReviewed ? 'reviewed' : 'soft small'}>
            {text.isReviewed ? 'reviewed' : 'not reviewed'}
          </span>
        )}
      </div>
      <textarea
        id={`text-${language}`}
        lang={language}
        dir="auto"
        rows={Math.min(8, Math.max(1, Math.ceil(value.length / 48) + value.split('\n').length - 1))}
        value={text.origin === 'pseudo' ? text.text : value}
        readOnly={!canEdit}
        placeholder={text.text}
        spellcheck={true}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            button.current?.querySelector('button')?.click()
          if (event.key === 'Escape' && isChanged) {
            event.stopPropagation()
            setDraft(undefined)
          }
        }}
      />
      {isChanged ? (
        <div class="actions" ref={button}>
          <ActionButton label="Save" kind="primary" about={name} run={save} onDone={onSaved} />
          <button type="button" class="button plain" onClick={() => setDraft(undefined)}>
            Discard
          </button>
          <span class="soft small">Ctrl+Enter saves</span>
        </div>
      ) : null}
      {isChanged && text.inFile !== began.expected ? (
        <p class="warn small" role="status">
          The file has another text since: <q>{text.inFile ?? ''}</q>
        </p>
      ) : null}
      {text.problems.map((problem) => (
        <p key={problem} class="warn small">
          {problem}
        </p>
      ))}
      {text.refusal === undefined ? null : <p class="bad small">The service refused it: {text.refusal}</p>}
      {conflict ? (
        <>
          <ConflictSides item={conflict} />
          <ConflictButtons item={conflict} />
        </>
      ) : hold ? (
        <>
          <HoldSides item={hold} />
          <HoldButtons item={hold} />
        </>
      ) : null}
      {text.place === null ? null : <p class="soft small place">{text.place}</p>}
    </section>
  )
}
