/** The drafts of a project: to be saved together, or discarded. */
import { useEffect, useRef } from 'preact/hooks'
import { showText } from '../../catalog/text-id.ts'
import type { ActionAnswer } from '../protocol.ts'
import { post } from './calls.ts'
import { Changes } from './changes.tsx'
import { ActionButton } from './controls.tsx'
import { draftsOf, keepDraft, useDraftsVersion } from './drafts.ts'
import { count, textName } from './format.ts'
import { readAgain } from './live.ts'
import { hrefOf } from './route.ts'

type Drafts = ReturnType<typeof draftsOf>

export function DraftList({ project }: { project: string }) {
  useDraftsVersion()
  const drafts = draftsOf(project)
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
  if (drafts.length === 0) return null
  return (
    <div class="drafts">
      <details>
        <summary>
          <span class="chip chip-draft">{drafts.length} not saved</span>
        </summary>
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
      </details>
      <div ref={saveButton} class="actions" title="Ctrl+S">
        <ActionButton
          label={`Save all (${drafts.length})`}
          kind="primary"
          run={() => saveAll(project, drafts)}
          done={(done) => `saved: ${count(done, 'text')}`}
        />
      </div>
    </div>
  )
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
      if (answer.problems.length === 0) keepDraft(project, ref, undefined)
    }
  }
  readAgain()
  return { done: drafts.length - problems.length, problems }
}
