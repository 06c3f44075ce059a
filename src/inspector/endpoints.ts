/** The endpoints that open pages call: their requests and responses. */
import type * as z from 'zod'
import { textId, textRef } from '../catalog/text-id.ts'
import type { InspectedProject } from './inspected-project.ts'
import { checkDraft, keyAnswerOf, pluralFormOf } from './key-answer.ts'
import { overviewOf, syncListsOf } from './overview.ts'
import type { ActionAnswer, ProjectChoice } from './protocol.ts'
import { removalOf, remove } from './removal.ts'
import type { ReviewRequest } from './requests.ts'
import * as requests from './requests.ts'
import { missingOf, RowSearch } from './row-search.ts'
import type { SeenText } from './service-texts.ts'
import type { Snapshot } from './snapshot.ts'
import { confirm, drop, push, release, resolveConflicts } from './sync-actions.ts'
import { Tracer } from './trace.ts'

/** A longer list would not be useful. */
const MOST_CHUNKS = 500

async function sizesOf(project: InspectedProject, snapshot: Snapshot) {
  const { chunks = [] } = (await project.report?.()) ?? {}
  return {
    /** From the last production build, largest first. Empty without a report. */
    chunks: chunks
      .filter(({ bytes }) => bytes > 0)
      .map(({ name, kind, keys, shared, bytes, language, namespaces }) => {
        return { name, kind, keys, shared, bytes, language, namespaces }
      })
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, MOST_CHUNKS),
    /** The current texts of the default language, largest first. */
    namespaces: snapshot.namespaces
      .map((namespace) => namespaceSize(snapshot, namespace))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes),
  }
}

function namespaceSize({ messages, defaultLanguage }: Snapshot, namespace: string) {
  const texts = messages(defaultLanguage, namespace)
  const bytes = texts.size === 0 ? 0 : Buffer.byteLength(JSON.stringify(Object.fromEntries(texts)))
  return { namespace, keys: texts.size, bytes }
}

/** Each text is a request to the service. */
const MOST_TEXTS = 2_000

/** Skips gaps, and texts that already have the review state. */
async function review(project: InspectedProject, snapshot: Snapshot, request: ReviewRequest): Promise<ActionAnswer> {
  const { keys, languages, customer, isReviewed, text: seen } = request
  if (!project.service) return refused('no service or no API key is configured')
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
  const answer = await project.service.review(texts, isReviewed)
  const isRefused = new Set(answer.refused.map(textId))
  project.reviewed(
    texts.filter(({ ref }) => !isRefused.has(textId(ref))),
    isReviewed,
  )
  const problem = `skipped, because the service and the file have different texts: ${differing}`
  return { done: answer.done, problems: [...answer.problems, ...(differing > 0 ? [problem] : [])] }
}

function refused(problem: string): ActionAnswer {
  return { done: 0, problems: [problem] }
}

type Endpoints = ReturnType<typeof createEndpoints>

/** The requests of the page. */
export type Requests = { readonly [Name in keyof Endpoints]: z.input<Endpoints[Name]['schema']> } & {
  readonly projects: Record<never, never>
}

/** The responses to the page. */
export type Answers = { readonly [Name in keyof Endpoints]: Awaited<ReturnType<Endpoints[Name]['run']>> } & {
  readonly projects: readonly ProjectChoice[]
}

export function createEndpoints() {
  const rowSearch = new RowSearch()
  const tracer = new Tracer()
  const { nothing } = requests
  return {
    overview: get(nothing, async (project) => overviewOf(project, await project.snapshot())),
    sizes: get(nothing, async (project) => sizesOf(project, await project.snapshot())),
    rows: get(requests.rows, async (project, request) => rowSearch.rows(await project.snapshot(), request)),
    found: get(requests.found, async (project, request) => rowSearch.names(await project.snapshot(), request)),
    key: get(requests.key, async (project, request) => keyAnswerOf(project, await project.snapshot(), request)),
    details: get(requests.key, async ({ service }, request) => ({ details: await service?.info(request) })),
    sync: get(nothing, async (project) => syncListsOf(await project.snapshot())),
    log: get(nothing, async ({ activity }) => activity.lines()),
    jobs: get(nothing, async (project) => tasksOf(project).jobs()),
    environments: get(nothing, async (project) => tasksOf(project).environments()),
    trace: post(requests.trace, async (project, request) => tracer.trace(await project.snapshot(), request)),
    create: post(requests.create, create),
    literal: get(requests.literal, async (project, { text }) => project.findText(text)),
    check: post(requests.check, check),
    edit: post(requests.edit, edit),
    missing: post(requests.missing, async (project, { keys }) => missingOf(await project.snapshot(), keys)),
    removal: post(requests.removal, async (project, request) => removalOf(project, await project.snapshot(), request)),
    remove: post(requests.remove, async (project, request) => remove(project, await project.snapshot(), request)),
    review: post(requests.review, async (project, request) => review(project, await project.snapshot(), request)),
    resolve: post(requests.resolve, async ({ engine }, request) => resolveConflicts(engine, request)),
    confirm: post(requests.confirm, async ({ engine }, request) => confirm(engine, request)),
    release: post(requests.held, async ({ engine }, { refs }) => release(engine, refs)),
    drop: post(requests.held, async ({ engine }, { refs }) => drop(engine, refs)),
    push: post(nothing, async ({ engine }) => push(engine)),
    refresh: post(nothing, refresh),
    translate: post(requests.translate, async (project, request) => tasksOf(project).translate(request)),
    publish: post(requests.publish, async (project, { environment }) => tasksOf(project).publish(environment)),
  }
}

type Run<Schema extends z.ZodType, Answer> = (project: InspectedProject, request: z.output<Schema>) => Promise<Answer>

function get<Schema extends z.ZodType, Answer>(schema: Schema, run: Run<Schema, Answer>) {
  return { method: 'GET', schema, run } as const
}

function post<Schema extends z.ZodType, Answer>(schema: Schema, run: Run<Schema, Answer>) {
  return { method: 'POST', schema, run } as const
}

async function edit(project: InspectedProject, request: requests.EditRequest): Promise<ActionAnswer> {
  const { ref } = request
  const snapshot = await project.snapshot()
  // A customer can get its own text for every existing key.
  const hasKey = (customer?: string) => snapshot.namespaceTexts(ref.namespace, customer).keys.includes(ref.key)
  // The plural forms that a language needs are keys that may not exist in any language yet.
  const isKnown = hasKey() || hasKey(ref.customer) || pluralFormOf(snapshot, ref) !== undefined
  if (!snapshot.canEdit(ref) || !isKnown) {
    return { done: 0, problems: ['the text does not exist, or its language cannot be edited'] }
  }
  return project.edit(request)
}

async function create(project: InspectedProject, request: requests.CreateRequest): Promise<ActionAnswer> {
  const { namespace, key, texts, details } = request
  const snapshot = await project.snapshot()
  const edits = texts.map(({ language, text }) => ({ ref: { language, namespace, key }, text, theirs: '' }))
  if (snapshot.namespaceTexts(namespace).keys.includes(key)) {
    return { done: 0, problems: [`the key ${JSON.stringify(key)} already exists in ${namespace}`] }
  }
  if (!edits.every(({ ref }) => snapshot.canEdit(ref))) {
    return { done: 0, problems: ['the namespace or language does not exist, or cannot be edited'] }
  }
  const { library } = snapshot.checks ?? {}
  const refused = texts.flatMap(({ language, text }) => {
    const problem = library?.check(text).find(({ severity }) => severity === 'error')
    return problem ? [`${language} ${JSON.stringify(key)} ${problem.message}`] : []
  })
  if (refused.length > 0) return { done: 0, problems: refused }
  return project.add(edits, details)
}

async function check(project: InspectedProject, request: requests.CheckRequest) {
  const { charactersLimit = -1 } = (await project.service?.info(request.ref)) ?? {}
  return checkDraft(await project.snapshot(), request, charactersLimit < 0 ? undefined : charactersLimit)
}

async function refresh(project: InspectedProject): Promise<ActionAnswer> {
  await project.refresh()
  return { done: 1, problems: [] }
}

function tasksOf({ tasks }: InspectedProject) {
  if (!tasks) throw new Error('no service or no API key is configured')
  return tasks
}
