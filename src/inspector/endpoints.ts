/** The endpoints that open pages call, and the types of their requests and responses. */
import * as z from 'zod'
import { editEndpoints } from './edit-texts.ts'
import { get, type InspectedProject, name, nothing, post } from './endpoint.ts'
import { keyEndpoints } from './key-answer.ts'
import { overviewEndpoints } from './overview.ts'
import { type ProjectChoice, refused } from './protocol.ts'
import { removalEndpoints } from './removal.ts'
import { createRowEndpoints } from './row-search.ts'
import { syncEndpoints } from './sync-actions.ts'
import { traceEndpoints } from './trace.ts'

/** A place in one of the project's files, such as `src/app.ts:3:5`. */
const openRequest = z.strictObject({ place: z.string().min(1).max(5_000) })

/** A text on a page that has no key yet. */
const literal = z.object({ text: z.string().trim().min(3).max(1_000) })

const translateRequest = z.strictObject({
  languages: z.array(name).min(1).max(500),
  provider: z.enum(['PROVIDER_A', 'PROVIDER_B']),
  replace: z.boolean(),
})
const publishRequest = z.strictObject({ environment: z.string().regex(/^[\w.-]{1,200}$/) })

const taskEndpoints = {
  log: get(nothing, async ({ activity }) => activity.lines()),
  literal: get(literal, async (project, { text }) => (await project.findText?.(text)) ?? []),
  open: post(openRequest, async (project, { place }) => {
    return (await project.open?.(place)) ?? refused('this service has no files to open')
  }),
  jobs: get(nothing, async (project) => serviceOf(project).jobs()),
  environments: get(nothing, async (project) => serviceOf(project).environments()),
  translate: post(translateRequest, async (project, { languages, provider, replace }) => {
    const { defaultLanguage } = await project.snapshot()
    return serviceOf(project).translate(defaultLanguage, languages, provider, replace)
  }),
  publish: post(publishRequest, async (project, { environment }) => serviceOf(project).publish(environment)),
}

function serviceOf({ service }: InspectedProject) {
  if (!service) throw new Error('the service or its API key is not configured')
  return service
}

export function createEndpoints() {
  return {
    ...overviewEndpoints,
    ...createRowEndpoints(),
    ...keyEndpoints,
    ...editEndpoints,
    ...removalEndpoints,
    ...syncEndpoints,
    ...taskEndpoints,
    ...traceEndpoints,
  }
}

type Endpoints = ReturnType<typeof createEndpoints>

export type Requests = { readonly [Name in keyof Endpoints]: z.input<Endpoints[Name]['schema']> } & {
  readonly projects: Record<never, never>
}

export type Answers = { readonly [Name in keyof Endpoints]: Awaited<ReturnType<Endpoints[Name]['run']>> } & {
  readonly projects: readonly ProjectChoice[]
}
