import { showText, type TextRef } from '../catalog/text-id.ts'
import type { ActionAnswer } from './wire.ts'

/** `undefined` in `reasons`: it was done. */
export function answerOf(refs: readonly TextRef[], reasons: readonly (string | undefined)[]): ActionAnswer {
  const problems = refs.flatMap((ref, i) => (reasons[i] === undefined ? [] : [`${showText(ref)}: ${reasons[i]}`]))
  return { done: refs.length - problems.length, problems }
}
