/**
 * Request logs and Prometheus metrics. They contain no names or values from requests. Labels contain route patterns
 * instead of paths, so that their number is bounded.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { ConnectionCounts } from './store/driver.ts'

/** The histogram's upper bounds, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [labels: Labels, value: number, suffix?: string]

export class Metrics {
  private inFlight = 0
  private readonly requests = new Map<string, ReturnType<typeof newCount>>()
  private readonly durations = new Map<string, ReturnType<typeof newHistogram>>()
  private readonly delay = monitorEventLoopDelay({ resolution: 20 })
  private readonly started = Date.now() / 1000 - process.uptime()

  constructor() {
    this.delay.enable()
  }

  requestStarted(): void {
    this.inFlight++
  }

  requestEnded({ method, route, status, ms }: AnswerInfo): void {
    this.inFlight--
    entry(this.requests, { method, route, status }, newCount).count++
    const histogram = entry(this.durations, { method, route }, newHistogram)
    const seconds = ms / 1000
    for (const [at, limit] of BUCKETS.entries())
      if (seconds <= limit) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1
    histogram.sum += seconds
    histogram.total++
  }

  /**
   * Returns all metrics in Prometheus's text format. `jobs` is the number of jobs in each state. `connections` is
   * `undefined` if the store has no connection pool.
   */
  print(jobs: Readonly<Record<string, number>>, connections: ConnectionCounts | undefined): string {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    const delays = [0.5, 0.99].map((quantile): Sample => [{ quantile }, this.delay.percentile(quantile * 100) / 1e9])
    const jobStates = Object.entries(jobs).map(([state, count]): Sample => [{ state }, count])
    const pool = Object.entries(connections ?? {}).map(([state, count]): Sample => [{ state }, count])
    const requests = [...this.requests.values()].map(({ labels, count }): Sample => [labels, count])
    const of = 'localization_http_request'
    return [
      metric(`${of}s_total`, 'counter', 'Completed requests.', requests),
      metric(`${of}_duration_seconds`, 'histogram', 'Time until the response is complete.', this.durationSamples()),
      metric(`${of}s_in_flight`, 'gauge', 'Requests in progress.', [[{}, this.inFlight]]),
      metric('localization_jobs', 'gauge', 'Auto-translate jobs in all projects, by state.', jobStates),
      metric(
        'localization_database_connections',
        'gauge',
        "This process's database connections, and requests waiting for one.",
        pool,
      ),
      metric('process_cpu_seconds_total', 'counter', 'User and system CPU time.', [[{}, (user + system) / 1e6]]),
      metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [[{}, rss]]),
      metric('process_start_time_seconds', 'gauge', 'Start time, in seconds since 1970.', [[{}, this.started]]),
      metric('nodejs_heap_size_used_bytes', 'gauge', 'Used heap.', [[{}, heapUsed]]),
      metric('nodejs_eventloop_delay_seconds', 'gauge', 'Event loop delay since the service started.', delays),
    ].join('')
  }

  close(): void {
    this.delay.disable()
  }

  private durationSamples(): Sample[] {
    return [...this.durations.values()].flatMap(({ labels, counts, sum, total }): Sample[] => [
      ...BUCKETS.map((le, at): Sample => [{ ...labels, le }, counts[at] ?? 0, '_bucket']),
      [{ ...labels, le: '+Inf' }, total, '_bucket'],
      [labels, sum, '_sum'],
      [labels, total, '_count'],
    ])
  }
}

function entry<T>(entries: Map<string, T>, labels: Labels, make: (labels: Labels) => T): T {
  const id = printLabels(labels)
  const known = entries.get(id) ?? make(labels)
  entries.set(id, known)
  return known
}

const newCount = (labels: Labels) => ({ labels, count: 0 })

const newHistogram = (labels: Labels) => ({ labels, counts: BUCKETS.map(() => 0), sum: 0, total: 0 })

/** The lines for one metric. A metric without samples is omitted. */
function metric(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string {
  if (samples.length === 0) return ''
  const lines = samples.map(([labels, value, suffix = '']) => `${name}${suffix}${printLabels(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function printLabels(labels: Labels): string {
  const printed = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return printed.length === 0 ? '' : `{${printed.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** One answered request. It has no path, query or headers, and so no secrets. */
export interface AnswerInfo {
  readonly method: string
  /** The route pattern, such as `/api/v2/environments/{environmentKey}`. */
  readonly route: string
  readonly status: number
  /** The time until the last byte was sent or the connection was closed, in milliseconds. */
  readonly ms: number
  /** True if the connection was closed before the response was complete. */
  readonly aborted: boolean
  /** The trace ID in the error body. */
  readonly traceId: string | undefined
}

interface Noted {
  route?: string
  traceId?: string
}

const noted = new WeakMap<IncomingMessage, Noted>()

/** Adds details that only the app knows. */
export function noteRequest(c: Context<{ Bindings: HttpBindings }>, more: Noted = {}): void {
  const route = routePath(c, -1).replaceAll(/:(\w+)/g, '{$1}')
  noted.set(c.env.incoming, { ...noted.get(c.env.incoming), route, ...more })
}

/** Calls `report` once, when the response is complete or the connection is closed. */
export function whenAnswered(
  request: IncomingMessage,
  response: ServerResponse,
  report: (answer: AnswerInfo) => void,
): void {
  const start = performance.now()
  response.once('close', () => {
    const { route = '/__localization/*', traceId } = noted.get(request) ?? {}
    const { method = 'GET' } = request
    const ms = performance.now() - start
    report({ method, route, status: response.statusCode, ms, aborted: !response.writableFinished, traceId })
  })
}
