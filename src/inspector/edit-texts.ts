/** Edits and reviews of texts, and new keys. */
import * as z from 'zod'
import { LIMITS } from '../api/schemas.ts'
import { textRef } from '../catalog/text-id.ts'
import type { InspectedProject } from './endpoint.ts'
import { keys, name, namespace, post, ref, text } from './endpoint.ts'
import { pluralFormOf } from './key-answer.ts'
import { type ActionAnswer, actionAnswer, CHANGED, refused } from './protocol.ts'
import type { SeenText } from './service-work.ts'
import type { Snapshot } from './snapshot.ts'

const editRequest = z.strictObject({
  ref,
  text,
  /** The file's text when the user started editing. Absent if the file had none. */
  expected: z.string().optional(),
  /** The service's text at that time; empty if it had none. Absent if the user did not see it. */
  theirs: z.string().optional(),
})

// New keys must not contain control characters, which would be invisible in a file.
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches them on purpose
const newKey = name.regex(/^[^\u0000-\u001f\u007f]*\S[^\u0000-\u001f\u007f]*$/)

/** A new key, with its first texts. */
const createRequest = z.strictObject({
  namespace,
  key: newKey,
  texts: z
    .array(z.strictObject({ language: name, text: text.min(1) }))
    .min(1)
    .max(500),
  /** Information for translators. If it is set, the key is created on the service immediately. */
  details: z
    .strictObject({
      description: z.string().max(LIMITS.descriptionLength).optional(),
      charactersLimit: z.number().int().min(1).max(LIMITS.textLength).optional(),
      tags: z.array(z.string().min(1).max(100)).max(LIMITS.tags).optional(),
    })
    .optional(),
})

const reviewRequest = z.strictObject({
  keys,
  languages: z.array(name).min(1).max(500),
  customer: name.optional(),
  isReviewed: z.boolean(),
  /** The text as the user saw it, if the request is for a single text. */
  text: z.string().optional(),
})

export const editEndpoints = {
  edit: post(editRequest, edit),
  create: post(createRequest, create),
  review: post(reviewRequest, async (project, request) => review(project, await project.snapshot(), request)),
}

async function edit(project: InspectedProject, request: z.output<typeof editRequest>): Promise<ActionAnswer> {
  const { ref, expected } = request
  const snapshot = await project.snapshot()
  // A customer can get its own text for every existing key.
  const hasKey = (customer?: string) => snapshot.namespaceTexts(ref.namespace, customer).keys.includes(ref.key)
  // A plural form that a language needs may be a key that no language has yet.
  const isKnown = hasKey() || hasKey(ref.customer) || pluralFormOf(snapshot, ref) !== undefined
  if (!snapshot.canEdit(ref) || !isKnown) {
    return refused('the text does not exist, or its language cannot be edited')
  }
  return actionAnswer([request], await project.edit([{ ...request, expected }]))
}

async function create(project: InspectedProject, request: z.output<typeof createRequest>): Promise<ActionAnswer> {
  const { namespace, key, texts, details } = request
  const snapshot = await project.snapshot()
  const edits = texts.map(({ language, text }) => {
    return { ref: { language, namespace, key }, text, expected: undefined, theirs: '' }
  })
  if (snapshot.namespaceTexts(namespace).keys.includes(key)) {
    return refused(`the key ${JSON.stringify(key)} already exists in ${namespace}`)
  }
  if (!edits.every(({ ref }) => snapshot.canEdit(ref))) {
    return refused('the namespace or language does not exist, or cannot be edited')
  }
  const { library } = snapshot.checks ?? {}
  const problems = texts.flatMap(({ language, text }) => {
    const problem = library?.check(text).find(({ severity }) => severity === 'error')
    return problem ? [`${language} ${JSON.stringify(key)} ${problem.message}`] : []
  })
  if (problems.length > 0) return { done: 0, problems }
  const isService = snapshot.kind === 'service'
  // Must come before the texts: sending them would create the key without details. Existing keys keep their details.
  const isNew = (details || isService) && (await project.service?.createKey({ namespace, key }, details))
  const reasons = isService && !isNew ? edits.map(() => CHANGED) : await project.edit(edits)
  return actionAnswer(edits, reasons)
}

/** Each text is one request to the service. */
const MOST_TEXTS = 2_000

/** Skips gaps, and texts that are already in the requested review state. */
async function review(
  project: InspectedProject,
  snapshot: Snapshot,
  request: z.output<typeof reviewRequest>,
): Promise<ActionAnswer> {
  const { keys, languages, customer, isReviewed, text: seen } = request
  if (!project.service) return refused('the service or its API key is not configured')
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
  if (texts.length > MOST_TEXTS) return refused(`at most ${MOST_TEXTS} texts at a time. Select fewer keys or languages`)
  const reasons = await project.service.review(texts, isReviewed)
  const accepted = texts.filter((_, at) => reasons[at] === undefined).map(({ ref }) => ref)
  project.reviewed(accepted, isReviewed)
  const { done, problems } = actionAnswer(texts, reasons)
  const problem = `${differing} skipped, because the service's text differs from the file's`
  return { done, problems: [...problems, ...(differing > 0 ? [problem] : [])] }
}
