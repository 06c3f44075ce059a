/** Requests made from the schemas of the service: ranges, repeated members, encodings, depth, sizes. */
import fc from 'fast-check'

export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** One request. `path` has the query. */
interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

/** `paths`: those of `/openapi.json`. `seed`: default that of fast-check's settings. */
export function madeFromSchemas(
  paths: Record<string, Record<string, Operation>>,
  count: number,
  seed?: number,
): HostileRequest[] {
  const any = fc.constantFrom(...operationsOf(paths)).chain((operation) =>
    requestOf(operation).map(({ query, body }) => ({
      method: operation.method,
      path: `${operation.path}?${query}`,
      body: operation.method === 'GET' ? undefined : body,
    })),
  )
  return fc.sample(any, seed === undefined ? count : { numRuns: count, seed })
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

interface Described {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, Schema>>
  readonly body: Schema | undefined
}

function operationsOf(paths: Record<string, Record<string, Operation>>): Described[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.replace('{environmentKey}', '_latest').replace('{jobId}', 'x'),
      query: Object.fromEntries(parameters.flatMap((one) => (one.in === 'query' ? [[one.name, one.schema]] : []))),
      body: requestBody?.content['application/json']?.schema,
    })),
  )
}

const EDGES = [-1, 0, 1, 0.5, 100, 500, 501, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53, 1e300, -0]
const TEXTS = [
  '',
  'a',
  'en',
  'pl',
  'title',
  '\0',
  '\ud800',
  '\ufeff',
  '%00',
  '../..',
  'x'.repeat(501),
  'ä'.repeat(66_000),
  '__proto__',
]
const nonsense = fc.oneof(
  fc.constantFrom<unknown>(null, true, [], {}, [[[]]], { a: { a: {} } }),
  fc.constantFrom(...EDGES),
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 8 }),
)

let made = 0
function validJson(schema: Schema): string {
  if (schema.enum) return JSON.stringify(schema.enum[0])
  if (schema.type === 'integer') return '1'
  if (schema.type === 'string') return JSON.stringify(`valid${made++}`)
  return schema.type === 'array' ? '[]' : '{}'
}

/** JSON texts for a value, mostly of its type. */
function jsonOf(schema: Schema): fc.Arbitrary<string> {
  const right = (): fc.Arbitrary<string> => {
    if (schema.enum) return fc.constantFrom(...schema.enum).map((text) => JSON.stringify(text))
    if (schema.type === 'integer' || schema.type === 'number') return fc.constantFrom(...EDGES).map(String)
    if (schema.type === 'string') return fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text))
    if (schema.type === 'array') {
      const items = fc.array(jsonOf(schema.items ?? {}), { maxLength: 3 }).map((all) => `[${all.join()}]`)
      const many = jsonOf(schema.items ?? {}).map(
        (one) =>
          `[${Array(101)
            .fill(one.length < 1000 ? one : '""')
            .join()}]`,
      )
      return fc.oneof({ weight: 8, arbitrary: items }, { weight: 1, arbitrary: many })
    }
    const members = Object.entries(schema.properties ?? {})
    if (members.length === 0) return nonsense.map((value) => JSON.stringify(value))
    // Members may be left out, unknown, and there twice; or all are right but one.
    const any = fc
      .array(
        fc
          .constantFrom(...members, ['unknown', {}] as [string, Schema])
          .chain(([name, member]) => jsonOf(member).map((json) => `${JSON.stringify(name)}:${json}`)),
        { maxLength: members.length + 1 },
      )
      .map((all) => `{${all.join()}}`)
    const allButOne = fc.constantFrom(...members).chain(([changed, schema]) =>
      jsonOf(schema).map((json) => {
        const all = members.map(([name, member]) => `"${name}":${name === changed ? json : validJson(member)}`)
        return `{${all.join()}}`
      }),
    )
    return fc.oneof(any, allButOne)
  }
  const wrong = fc.oneof(
    nonsense.map((value) => JSON.stringify(value) ?? '0'),
    fc.constantFrom(
      '[',
      '{"a":',
      '{"a":1,}',
      "{'a':1}",
      '\ufeff{}',
      '{"key":"a"}x',
      `${'['.repeat(200)}${']'.repeat(200)}`,
    ),
  )
  return fc.oneof({ weight: 6, arbitrary: right() }, { weight: 1, arbitrary: wrong })
}

function requestOf({ query, body }: Described) {
  const parameters = fc
    .array(
      fc
        .constantFrom(...Object.keys(query), 'unknown')
        .chain((name) =>
          fc
            .oneof(
              fc.constantFrom(...(query[name]?.enum ?? ['x']), ...TEXTS.slice(0, 12)),
              fc.constantFrom(...EDGES).map(String),
            )
            .map(
              (value) =>
                `${name}=${[...Buffer.from(value.slice(0, 600))].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`,
            ),
        ),
      { maxLength: 4 },
    )
    .map((all) => all.join('&'))
  return fc.record({ query: parameters, body: body ? jsonOf(body) : fc.constant(undefined) })
}
