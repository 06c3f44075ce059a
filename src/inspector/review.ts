/** Review states, which only the service keeps. */
import { textId, textRef } from '../catalog/text-id.ts'
import type { InspectedProject } from './inspected-project.ts'
import type { ActionAnswer } from './protocol.ts'
import type { ReviewRequest } from './requests.ts'
import type { SeenText } from './service-texts.ts'
import type { Snapshot } from './snapshot.ts'

/** Each is a request to the service. */
const MOST_TEXTS = 2_000

/** Gaps, and texts that have the review state already, are left out. */
export async function review(
  project: InspectedProject,
  snapshot: Snapshot,
  request: ReviewRequest,
): Promise<ActionAnswer> {
  const { keys, languages, customer, isReviewed, text: seen } = request
  if (!project.service) return refused('the configuration names no service, or no API key')
  const wanted = snapshot.languages.filter(({ key, isPseudo }) => languages.includes(key) && !isPseudo)
  const texts: SeenText[] = []
  let differing = 0
  for (const { namespace, key } of keys) {
    for (const { key: language } of wanted) {
      const ref = textRef({ language, namespace, customer }, key)
      const { text, isReviewed: isAlready } = snapshot.serviceText(ref) ?? {}
      if (!text || isAlready === isReviewed) continue
      const shown = seen ?? (snapshot.kind === 'project' ? (snapshot.inFile(ref) ?? text) : text)
      if (shown === text) texts.push({ ref, text })
      else differing++
    }
  }
  if (texts.length > MOST_TEXTS) return refused(`at most ${MOST_TEXTS} texts at once: select fewer keys or languages`)
  const answer = await project.service.review(texts, isReviewed)
  const isRefused = new Set(answer.refused.map(textId))
  project.reviewed(
    texts.filter(({ ref }) => !isRefused.has(textId(ref))),
    isReviewed,
  )
  const problem = `left out, because the service has another text than the file: ${differing}`
  return { done: answer.done, problems: [...answer.problems, ...(differing > 0 ? [problem] : [])] }
}

function refused(problem: string): ActionAnswer {
  return { done: 0, problems: [problem] }
}
