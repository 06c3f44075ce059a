/** The editor for a key's text in one language. */
import { useEffect, useRef } from 'preact/hooks'
import type { TextRef } from '../../catalog/text-id.ts'
import type { KeyText } from '../key-answer.ts'
import { pluralExamples } from '../plural-examples.ts'
import { post, readAgain } from './calls.ts'
import { ActionButton, Button, PlaceLink } from './controls.tsx'
import { conflictDecision, holdDecision, staleDecision, textsDone } from './decisions.tsx'
import { useDraft } from './drafts.ts'
import { Changes, TextMarks } from './format.tsx'
import { exampleText, pluralFor, TextFields } from './text-fields.tsx'

interface TextEditorProps {
  readonly project: string
  readonly of: TextRef
  readonly text: KeyText
  /** The default language and its text. */
  readonly sourceLanguage: string
  readonly source: string
  readonly hasFocus: boolean
  /** True inside a table cell: omits what the cell already shows. */
  readonly inCell?: boolean
  /** The service's maximum number of characters. */
  readonly limit?: number | undefined
  readonly hasService?: boolean
  /** The id of the element that contains the source text. */
  readonly describedBy?: string | undefined
  readonly onSaved?: () => void
}

export function TextEditor(props: TextEditorProps) {
  const { project, of, text, sourceLanguage, source, hasFocus, inCell = false, limit, hasService } = props
  const { language, name, form, stale, conflict, hold, canEdit } = text
  const draft = useDraft(project, of, text)
  const section = useRef<HTMLElement>(null)
  const focusField = () => section.current?.querySelector('textarea')?.focus()
  useEffect(() => {
    if (hasFocus) focusField()
  }, [])
  const about = form ? `${name} ${form.category}` : name
  const id = `${inCell ? 'cell' : 'text'}-${language}${form ? `-${form.category}` : ''}`
  const value = text.origin === 'pseudo' ? text.text : draft.value
  const save = async () => {
    const answer = await draft.save().finally(focusField)
    if (answer.done > 0) props.onSaved?.()
    return answer
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    section.current?.querySelector<HTMLElement>('.save .primary')?.click()
  }
  return (
    <section ref={section} class={`editor ${form ? 'of-form' : ''}`} aria-label={about} onKeyDown={onKeyDown}>
      {editorHead(id, text, draft.isChanged, canEdit && pluralFor(value, source) !== undefined)}
      <TextFields
        id={id}
        lang={language}
        label={about}
        value={value}
        source={source}
        placeholder={text.text}
        readOnly={!canEdit}
        aria-describedby={props.describedBy}
        onType={draft.type}
      />
      {/* Always as tall as its buttons, so that nothing moves when the user begins to type. */}
      <div class="foot small">
        <span class="soft">
          {inCell
            ? 'Enter saves. Unsaved text is kept as a draft.'
            : text.place !== undefined && <PlaceLink place={text.place} />}
        </span>
        <div class="actions save" title={inCell ? undefined : 'Ctrl+Enter saves. Unsaved text is kept as a draft.'}>
          {canEdit && (inCell || draft.isChanged) ? (
            <>
              <ActionButton
                label={draft.isWarned ? 'Save anyway' : 'Save'}
                kind="primary"
                about={about}
                disabled={!draft.isChanged}
                run={save}
              />
              <Button label="Discard" about={about} disabled={!draft.isChanged} onClick={draft.discard} />
            </>
          ) : (
            hasService && <ReviewButton of={of} text={text} />
          )}
        </div>
      </div>
      <div role="status" class="said small">
        {draft.isWarned && <p class="bad">Not saved yet. Fix the errors, or save anyway.</p>}
        {draft.isSaved && <p class="good">Saved.</p>}
      </div>
      {draftConflict(draft, about, language, focusField)}
      <div role="status" class="said small">
        {draft.problems.map(({ severity, message }) => (
          <p key={message} class={severity === 'error' ? 'bad' : 'warn'}>
            {message}
          </p>
        ))}
      </div>
      {limit !== undefined && lengthOf(value, limit, draft.isChanged)}
      {previewList(language, draft.previews)}
      {text.refusal !== undefined && <p class="bad small">The service rejected it: {text.refusal}</p>}
      {stale && staleDecision(stale, sourceLanguage)}
      {conflict ? conflictDecision(conflict) : hold && holdDecision(hold)}
    </section>
  )
}

/** `isGroup`: each form has its own field, and there is none for the whole text. */
function editorHead(id: string, text: KeyText, isDraft: boolean, isGroup: boolean) {
  const { language, name, form, isReviewed } = text
  const title = form ? (
    <>
      {form.category}{' '}
      <span class="soft">{exampleText(pluralExamples(language, form.type).get(form.category), form.category)}</span>
    </>
  ) : (
    <>
      {name} <code>{language}</code>
    </>
  )
  return (
    <div class="editor-head">
      {isGroup ? <strong class="label">{title}</strong> : <label for={id}>{title}</label>}
      <span class="draft-mark">{isDraft && <span class="chip chip-draft">not saved</span>}</span>
      <TextMarks cell={text} />
      {isReviewed && <span class="reviewed">reviewed</span>}
      {isReviewed === false && <span class="soft small">not reviewed</span>}
    </div>
  )
}

/** Shown if someone else saved another text after the user started typing. */
function draftConflict(draft: ReturnType<typeof useDraft>, about: string, language: string, focusField: () => void) {
  if (!draft.conflict) return null
  const { side, text } = draft.conflict
  const choose = (choice: () => void) => {
    choice()
    focusField()
  }
  return (
    <>
      <p class="warn small" role="status">
        The {side} has changed since you started editing:
      </p>
      <dl class="sides">
        <dt>{side}</dt>
        <dd dir="auto">{text === '' ? <em>deleted</em> : text}</dd>
        <dt>your text</dt>
        <dd>
          <Changes before={text} after={draft.value} language={language} />
        </dd>
      </dl>
      <div class="actions">
        <Button label={`Take the ${side}'s text`} about={about} onClick={() => choose(draft.discard)} />
        <Button label="Keep your text" about={about} onClick={() => choose(draft.keepMine)} />
      </div>
    </>
  )
}

/** Counts characters as people and the service do. */
function lengthOf(text: string, limit: number, isChecked: boolean) {
  const { length } = [...text]
  // The check of the typed text already reports this.
  if (isChecked && length > limit) return null
  return (
    <p class={`small ${length > limit ? 'bad' : 'soft'}`}>
      {length} of {limit} characters
    </p>
  )
}

function previewList(language: string, previews: KeyText['previews']) {
  if (previews.length === 0) return null
  return (
    <dl class="previews small" aria-label="Preview">
      {previews.map(({ example, text }) => (
        <div key={example}>
          <dt class="soft">{example === '' ? 'Preview' : example}</dt>
          <dd lang={language} dir="auto">
            {text}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Shown only if the displayed text is the service's, because the review state belongs to that text. */
function ReviewButton({ of, text }: { of: TextRef; text: KeyText }) {
  const { namespace, key, customer, language } = of
  const { own, theirs, isReviewed, origin, form, name } = text
  if (!theirs || theirs !== own || origin === 'fallback' || origin === 'pseudo') return null
  const next = isReviewed !== true
  const label = next ? 'Mark as reviewed' : 'Mark as not reviewed'
  return (
    <ActionButton
      label={label}
      kind="link"
      about={form ? `${name} ${form.category}` : name}
      run={() =>
        post('review', {
          keys: [{ namespace, key }],
          languages: [language],
          customer,
          isReviewed: next,
          text: theirs,
        }).finally(readAgain)
      }
      done={textsDone(next ? 'reviewed' : 'marked as not reviewed')}
    />
  )
}
