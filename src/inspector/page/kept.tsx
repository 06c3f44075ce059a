/** What was typed and not saved, and the last saves: to be saved together, discarded, or undone. */
import { showText } from '../../catalog/text-id.ts'
import type { ActionAnswer } from '../protocol.ts'
import { post } from './calls.ts'
import { Changes } from './changes.tsx'
import { ActionButton } from './controls.tsx'
import { undo } from './draft.ts'
import { draftsOf, keepDraft, noteSave, savesOf, useKept } from './drafts.ts'
import { count, textName } from './format.ts'
import { readAgain } from './live.ts'
import { hrefOf } from './route.ts'

type Drafts = ReturnType<typeof draftsOf>

export function Kept({ project }: { project: string }) {
  useKept()
  const [drafts, saves] = [draftsOf(project), savesOf(project)]
  if (drafts.length + saves.length === 0) return null
  return (
    <details class="kept">
      <summary>
        {drafts.length > 0 && <span class="chip chip-draft">{drafts.length} not saved</span>}
        {saves.length > 0 && <span>{count(saves.length, 'save')} to undo</span>}
      </summary>
      {drafts.length > 0 && (
        <>
          <ul class="items small">
            {drafts.map(({ ref, draft }) => (
              <li key={textName(ref)}>
                <a href={hrefOf('texts', { key: ref.key, of: ref.namespace, customer: ref.customer })}>
                  {textName(ref)}
                </a>
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
          <ActionButton
            label={`Save all (${drafts.length})`}
            kind="primary"
            run={() => saveAll(project, drafts)}
            done={(done) => `saved: ${count(done, 'text')}`}
          />
        </>
      )}
      {saves.length > 0 && (
        <ul class="items small" aria-label="Last saves">
          {saves.map((save) => (
            <li key={JSON.stringify(save)}>
              {textName(save.ref)}
              <Changes before={save.before} after={save.after} language={save.ref.language} />
              <div class="actions">
                <ActionButton label="Undo" about={textName(save.ref)} run={() => undo(project, save)} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </details>
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
      if (answer.problems.length > 0) continue
      noteSave(project, { ref, before: expected ?? '', after: text })
      keepDraft(project, ref, undefined)
    }
  }
  readAgain()
  return { done: drafts.length - problems.length, problems }
}
