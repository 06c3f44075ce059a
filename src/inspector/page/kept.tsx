/** What was typed and not saved, and the last saves: to be saved together, discarded, or undone. */
import { useEffect, useRef } from 'preact/hooks'
import { showText } from '../../catalog/text-id.ts'
import type { ActionAnswer } from '../protocol.ts'
import { post } from './calls.ts'
import { Changes } from './changes.tsx'
import { ActionButton } from './controls.tsx'
import { undo } from './draft.ts'
import { draftsOf, keepDraft, noteSave, type RemovalSave, type Save, savesOf, useKept } from './drafts.ts'
import { count, textName } from './format.ts'
import { readAgain } from './live.ts'
import { hrefOf } from './route.ts'

type Drafts = ReturnType<typeof draftsOf>

export function Kept({ project }: { project: string }) {
  useKept()
  const [drafts, saves] = [draftsOf(project), savesOf(project)]
  const saveButton = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      saveButton.current?.querySelector<HTMLElement>('.primary')?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (drafts.length + saves.length === 0) return null
  return (
    <div class="kept">
      <details>
        <summary>
          {drafts.length > 0 && <span class="chip chip-draft">{drafts.length} not saved</span>}
          {saves.length > 0 && <span>{count(saves.length, 'save')} to undo</span>}
        </summary>
        {drafts.length > 0 && <DraftList project={project} drafts={drafts} />}
        {saves.length > 0 && <SaveList project={project} saves={saves} />}
      </details>
      {drafts.length > 0 && (
        <div ref={saveButton} class="actions" title="Ctrl+S">
          <ActionButton
            label={`Save all (${drafts.length})`}
            kind="primary"
            run={() => saveAll(project, drafts)}
            done={(done) => `saved: ${count(done, 'text')}`}
          />
        </div>
      )}
    </div>
  )
}

function DraftList({ project, drafts }: { project: string; drafts: Drafts }) {
  return (
    <ul class="items small" aria-label="Not saved">
      {drafts.map(({ ref, draft }) => (
        <li key={textName(ref)}>
          <a href={hrefOf('texts', { key: ref.key, of: ref.namespace, customer: ref.customer })}>{textName(ref)}</a>
          <Changes before={draft.expected ?? ''} after={draft.text} language={ref.language} />
          <div class="actions">
            <button
              type="button"
              class="button"
              aria-label={`Discard: ${textName(ref)}`}
              onClick={() => keepDraft(project, ref, undefined)}
            >
              Discard
            </button>
          </div>
        </li>
      ))}
    </ul>
  )
}

function SaveList({ project, saves }: { project: string; saves: readonly Save[] }) {
  return (
    <ul class="items small" aria-label="Last saves">
      {saves.map((save) => {
        const name = 'ref' in save ? textName(save.ref) : removalName(save)
        return (
          <li key={JSON.stringify(save)}>
            {name}
            {'ref' in save && <Changes before={save.before} after={save.after} language={save.ref.language} />}
            <div class="actions">
              <ActionButton label="Undo" about={name} run={() => undo(project, save)} />
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function removalName({ removed }: RemovalSave): string {
  const keys = new Set(removed.map(({ ref }) => ref.key))
  const [first] = keys
  const others = keys.size > 1 ? ` and ${count(keys.size - 1, 'other key')}` : ''
  return `deleted ${first}${others}: ${count(removed.length, 'text')}`
}

/** A text with an error stays a draft, and so does one whose file changed: the open text shows why. */
async function saveAll(project: string, drafts: Drafts): Promise<ActionAnswer> {
  const problems: string[] = []
  for (const { ref, draft } of drafts) {
    const { text, expected, theirs } = draft
    const found = await post('check', { ref, text })
    const errors = found.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
    if (errors.length > 0) problems.push(`${showText(ref)}: ${errors.join(', ')}`)
    else {
      const answer = await post('edit', { ref, text, expected, theirs })
      problems.push(...answer.problems)
      if (answer.problems.length > 0) continue
      noteSave(project, { ref, before: expected ?? '', after: text })
      keepDraft(project, ref, undefined)
    }
  }
  readAgain()
  return { done: drafts.length - problems.length, problems }
}
