/** A key's text in one language, to be changed. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TextRef } from '../../catalog/text-id.ts'
import type { KeyText } from '../key-answer.ts'
import { post } from './calls.ts'
import { ActionButton } from './controls.tsx'
import { ConflictDecision, HoldDecision, StaleDecision } from './decisions.tsx'
import { TextMarks } from './text-marks.tsx'

interface TextEditorProps {
  readonly of: TextRef
  readonly text: KeyText
  /** The default language. */
  readonly sourceLanguage: string
  readonly hasFocus: boolean
}

export function TextEditor({ of, text, sourceLanguage, hasFocus }: TextEditorProps) {
  const { language, name, isReviewed, stale, conflict, hold } = text
  const draft = useDraft(of, text)
  const field = useRef<HTMLTextAreaElement>(null)
  const actions = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (hasFocus) field.current?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) actions.current?.querySelector('button')?.click()
    if (event.key !== 'Escape' || !draft.isChanged) return
    event.stopPropagation()
    draft.discard()
  }
  return (
    <section class="editor" aria-label={name}>
      <div class="editor-head">
        <label for={`text-${language}`}>
          {name} <code>{language}</code>
        </label>
        <TextMarks cell={text} />
        {isReviewed && <span class="reviewed">reviewed</span>}
        {isReviewed === false && <span class="soft small">not reviewed</span>}
      </div>
      <textarea
        ref={field}
        id={`text-${language}`}
        lang={language}
        dir="auto"
        rows={rowsOf(draft.value)}
        value={text.origin === 'pseudo' ? text.text : draft.value}
        readOnly={!text.canEdit}
        placeholder={text.text}
        spellcheck={true}
        onInput={(event) => draft.type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {draft.isChanged && (
        <div class="actions" ref={actions}>
          <ActionButton
            label="Save"
            kind="primary"
            about={name}
            run={draft.save}
            done={() => `saved: ${language} ${of.key}`}
          />
          <button type="button" class="button plain" onClick={draft.discard}>
            Discard
          </button>
          <span class="soft small">Ctrl+Enter saves</span>
        </div>
      )}
      {draft.isOutdated && (
        <p class="warn small" role="status">
          The file has another text since: <q>{text.inFile ?? ''}</q>
        </p>
      )}
      {text.problems.map((problem) => (
        <p key={problem} class="warn small">
          {problem}
        </p>
      ))}
      {text.refusal !== undefined && <p class="bad small">The service refused it: {text.refusal}</p>}
      {stale && <StaleDecision item={stale} sourceLanguage={sourceLanguage} />}
      {conflict ? <ConflictDecision item={conflict} /> : hold && <HoldDecision item={hold} />}
      {text.place !== undefined && <p class="soft small place">{text.place}</p>}
    </section>
  )
}

function rowsOf(text: string): number {
  return Math.min(8, Math.max(1, Math.ceil(text.length / 48) + text.split('\n').length - 1))
}

interface Draft {
  readonly text: string
  /** Both sides' texts when the person began: an edit must not overwrite what somebody saved since. */
  readonly expected: string | undefined
  readonly theirs: string
}

/** An edit from the first typed letter until it is saved or discarded. */
function useDraft(ref: TextRef, { own, inFile, theirs = '' }: KeyText) {
  const [draft, setDraft] = useState<Draft>()
  const isChanged = draft !== undefined && draft.text !== own
  return {
    value: draft?.text ?? own,
    isChanged,
    isOutdated: isChanged && inFile !== draft.expected,
    discard: () => setDraft(undefined),
    type(text: string) {
      setDraft((before) => (text === own ? undefined : { expected: inFile, theirs, ...before, text }))
    },
    async save() {
      const answer = await post('edit', { ref, text: own, expected: inFile, theirs, ...draft })
      if (answer.problems.length === 0) setDraft(undefined)
      return answer
    },
  }
}
