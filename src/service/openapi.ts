import * as z from 'zod'
import { errorBodySchema } from '../api/schemas.ts'
import type { NamedEndpoint } from './endpoint.ts'
import type { ServiceFeatures } from './options.ts'
import { queryParameters } from './request.ts'

/** Generates the OpenAPI 3.1 description. `endpoints` are grouped by tag. */
export function describeApi(
  endpoints: ReadonlyMap<string, readonly NamedEndpoint[]>,
  features: ServiceFeatures,
  tokenHeader: string,
): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [tag, tagged] of endpoints) {
    for (const endpoint of tagged) {
      const operation = { tags: [tag], ...describe(endpoint, features) }
      paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Localization Management Service API', version: '2' },
    paths,
    components: {
      securitySchemes: {
        personal: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Personal token' },
        project: { type: 'apiKey', in: 'header', name: tokenHeader, description: 'Project API key' },
      },
      schemas: { Error: toSchema(errorBodySchema) },
    },
  }
}

const CONDITIONS = [
  parameter('If-Match', 'header', '* or digests in double quotes: the text that the writer expects. Else 412.'),
  parameter('If-None-Match', 'header', '*: the writer expects no text. Else 412.'),
]

function describe(endpoint: NamedEndpoint, { conditionalWrites }: ServiceFeatures): object {
  const { path, summary, token = 'project', query, body, data, bare, conditions } = endpoint
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ ...parameter(name, 'path'), required: true }))
  const payload = data ? toSchema(data) : {}
  const answer = {
    type: 'object',
    required: ['msg', 'status', 'data'],
    properties: { msg: { type: 'string' }, status: { type: 'integer' }, data: payload },
  }
  return {
    summary,
    security: [{ [token]: [] }],
    parameters: [
      ...inPath,
      ...(query ? describeQuery(query) : []),
      ...(conditionalWrites && conditions ? CONDITIONS : []),
    ],
    ...(body && { requestBody: { required: true, content: body === 'upload' ? UPLOAD : jsonContent(toSchema(body)) } }),
    responses: {
      200: { description: 'OK', content: jsonContent(bare ? payload : answer) },
      default: { description: 'Error', content: jsonContent({ $ref: '#/components/schemas/Error' }) },
    },
  }
}

function describeQuery(query: z.ZodObject): object[] {
  return Object.entries(queryParameters(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !query.shape[name]?.safeParse(undefined).success,
    schema,
  }))
}

function parameter(name: string | undefined, place: 'path' | 'header', description?: string) {
  return { name, in: place, required: false, description, schema: { type: 'string' } }
}

const UPLOAD = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: { file: { type: 'string', contentMediaType: 'application/json' } },
    },
  },
}

function jsonContent(schema: object): object {
  return { 'application/json': { schema } }
}

function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}
