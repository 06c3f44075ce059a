/** Marks a text as reviewed on the service, or as not reviewed. */
import type { TextRef } from '../../catalog/text-id.ts'
import type { KeyText } from '../key-answer.ts'
import { post } from './calls.ts'
import { ActionButton } from './controls.tsx'
import { textsDone } from './decisions.tsx'
import { readAgain } from './live.ts'

/** Only for a text that the service has as it is shown: another one is not the text that was reviewed. */
export function ReviewButton({ of, text }: { of: TextRef; text: KeyText }) {
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
