/** The endpoints: each checks what it is given and asks the port. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import type { EventStreams } from './events.ts'
import { keyAnswerOf, overviewOf, syncAnswerOf } from './overview.ts'
import type { InspectorPort, ServiceDesk } from './port.ts'
import {
  editRequest,
  holdsRequest,
  keyQuery,
  publishRequest,
  resolveRequest,
  rowsQuery,
  traceRequest,
  translateRequest,
} from './requests.ts'
import { createRowIndex, type RowIndex } from './rows.ts'
import { createTracer, type Tracer } from './trace.ts'
import type { ProjectChoice } from './wire.ts'

export interface RouteCall<T> {
  readonly input: T
  readonly project: string | undefined
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly schema: z.ZodType
  /** `undefined`: it answers by itself. */
  run(call: RouteCall<unknown>): Promise<object | undefined>
}

export interface RoutesInput {
  readonly projects: () => Promise<readonly ProjectChoice[]>
  readonly open: (id: string | undefined) => Promise<InspectorPort | undefined>
  readonly streams: EventStreams
}

interface Opened {
  readonly port: InspectorPort
  readonly rows: RowIndex
  readonly tracer: Tracer
}

const nothing = z.strictObject({})

export function createRoutes({ projects, open, streams }: RoutesInput): Readonly<Record<string, Route>> {
  const kept = new WeakMap<InspectorPort, Opened>()

  const openedOf = async (id: string | undefined): Promise<Opened> => {
    const port = await open(id)
    if (!port) throw new Error('there is no such project')
    const opened = kept.get(port) ?? { port, rows: createRowIndex(), tracer: createTracer() }
    kept.set(port, opened)
    return opened
  }

  const route = <T>(
    method: Route['method'],
    schema: z.ZodType<T>,
    run: (opened: Opened, input: T, call: RouteCall<unknown>) => Promise<object | undefined>,
  ): Route => ({ method, schema, run: async (call) => run(await openedOf(call.project), call.input as T, call) })
  const get = <T>(schema: z.ZodType<T>, run: Parameters<typeof route<T>>[2]) => route('GET', schema, run)
  const post = <T>(schema: z.ZodType<T>, run: Parameters<typeof route<T>>[2]) => route('POST', schema, run)

  return {
    projects: { method: 'GET', schema: nothing, run: async () => ({ projects: await projects() }) },
    overview: get(nothing, async ({ port }) => overviewOf(port, await port.snapshot())),
    rows: get(rowsQuery, async ({ port, rows }, query) => rows.answer(await port.snapshot(), query)),
    key: get(keyQuery, async ({ port }, { namespace, key, customer }) =>
      keyAnswerOf(port, await port.snapshot(), { namespace, key, customer }),
    ),
    sync: get(nothing, async ({ port }) => syncAnswerOf(await port.snapshot())),
    log: get(nothing, async ({ port }) => ({ lines: port.activity.lines() })),
    jobs: get(nothing, async ({ port }) => ({ jobs: await deskOf(port).jobs() })),
    environments: get(nothing, async ({ port }) => ({ environments: await deskOf(port).environments() })),
    events: get(nothing, async ({ port }, _, { request, response }) => {
      streams.open(port, request, response)
      return undefined
    }),
    trace: post(traceRequest, async ({ port, tracer }, asked) => tracer.trace(await port.snapshot(), asked)),
    edit: post(editRequest, async ({ port }, { ref, text, expected, theirs }) => {
      const snapshot = await port.snapshot()
      const isKnown =
        snapshot.namespaces.includes(ref.namespace) && hasKey(snapshot.part(ref.namespace, ref.customer), ref.key)
      if (!snapshot.canEdit(ref) || !(isKnown || hasKey(snapshot.part(ref.namespace, undefined), ref.key))) {
        return { done: 0, problems: ['the project has no such text, or this language cannot be edited'] }
      }
      return port.edit({
        ref,
        text,
        expected: expected ?? undefined,
        ...(theirs !== undefined && { theirs: theirs ?? '' }),
      })
    }),
    resolve: post(resolveRequest, ({ port }, { conflicts, side }) =>
      port.resolve(
        conflicts.map(({ ref, ours, theirs }) => ({
          ref,
          seen: { ours: ours ?? undefined, theirs: theirs ?? undefined },
        })),
        side,
      ),
    ),
    release: post(holdsRequest, ({ port }, { refs }) => port.release(refs === 'all' ? undefined : refs)),
    drop: post(holdsRequest, ({ port }, { refs }) => port.drop(refs === 'all' ? undefined : refs)),
    push: post(nothing, ({ port }) => port.push()),
    refresh: post(nothing, ({ port }) => port.refresh()),
    translate: post(translateRequest, ({ port }, request) => deskOf(port).translate(request)),
    publish: post(publishRequest, ({ port }, { environment }) => deskOf(port).publish(environment)),
  }
}

function deskOf({ service }: InspectorPort): ServiceDesk {
  if (!service) throw new Error('the configuration names no service, or no API key')
  return service
}

function hasKey({ keys }: { readonly keys: readonly string[] }, key: string): boolean {
  return keys.includes(key)
}
