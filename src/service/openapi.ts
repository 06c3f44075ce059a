/** The OpenAPI description, made from the schemas that the service itself reads with. */
import * as z from 'zod'
import {
  bulkResultSchema,
  createKeyRequestSchema,
  createProjectRequestSchema,
  deleteKeyQuerySchema,
  deleteKeysRequestSchema,
  downloadOptionSchema,
  environmentStatusSchema,
  errorBodySchema,
  exportResultSchema,
  exportV3QuerySchema,
  exportV4QuerySchema,
  exportV4ResultSchema,
  fileFormatSchema,
  importOptionSchema,
  importQuerySchema,
  importResultSchema,
  jobSchema,
  projectSchema,
  setTranslationRequestSchema,
  startJobRequestSchema,
  translationQuerySchema,
  translationSchema,
  updateTranslationsQuerySchema,
  updateTranslationsRequestSchema,
  updateTranslationsResultSchema,
} from '../api/schemas.ts'
import type { ServiceFeatures } from './options.ts'

/** The client's schemas take any name; these are the ones that this service knows. */
const known = {
  exportV3: exportV3QuerySchema.extend({ downloadFormat: fileFormatSchema }),
  exportV4: exportV4QuerySchema.extend({
    downloadFormat: fileFormatSchema,
    downloadOptions: z.array(downloadOptionSchema).optional(),
  }),
  import: importQuerySchema.extend({
    uploadFormat: fileFormatSchema,
    importOptions: z.array(importOptionSchema).optional(),
  }),
}

interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly token: 'personal' | 'project'
  /** Query parameters; an array is a parameter that may be given more than once. */
  readonly query?: z.ZodObject
  readonly body?: z.ZodType | 'upload'
  readonly data?: z.ZodType
  /** Not in the envelope. */
  readonly bare?: true
  /** Conditions in headers; outside the contract, left out where they are switched off. */
  readonly conditions?: true
  /** Outside the contract; left out where it is switched off. */
  readonly feature?: keyof ServiceFeatures
}

const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v2/projects',
    tag: 'Projects',
    summary: 'Create project',
    token: 'personal',
    body: createProjectRequestSchema,
    data: projectSchema,
  },
  {
    method: 'get',
    path: '/api/v2/projects',
    tag: 'Projects',
    summary: 'List projects',
    token: 'personal',
    data: z.array(projectSchema),
  },
  {
    method: 'get',
    path: '/api/v2/project',
    tag: 'Projects',
    summary: 'The project of the API key',
    token: 'project',
    feature: 'projectInfo',
  },
  {
    method: 'post',
    path: '/api/v1/jobs/auto-translate',
    tag: 'Auto-translate jobs',
    summary: 'Start job',
    token: 'project',
    body: startJobRequestSchema,
    data: jobSchema,
  },
  {
    method: 'get',
    path: '/api/v1/jobs',
    tag: 'Auto-translate jobs',
    summary: 'List jobs',
    token: 'project',
    data: z.array(jobSchema),
  },
  {
    method: 'get',
    path: '/api/v1/jobs/{jobId}',
    tag: 'Auto-translate jobs',
    summary: 'Get job status',
    token: 'project',
    data: jobSchema,
  },
  {
    method: 'post',
    path: '/api/v2/environments/{environmentKey}/publish',
    tag: 'Publishing and environments',
    summary: 'Publish',
    token: 'project',
  },
  {
    method: 'get',
    path: '/api/v2/environments/{environmentKey}',
    tag: 'Publishing and environments',
    summary: 'Get environment status',
    token: 'project',
    data: environmentStatusSchema,
  },
  {
    method: 'post',
    path: '/api/v1/translation-keys',
    tag: 'Translation keys',
    summary: 'Create key',
    token: 'project',
    body: createKeyRequestSchema,
  },
  {
    method: 'delete',
    path: '/api/v1/translation-keys',
    tag: 'Translation keys',
    summary: 'Delete key',
    token: 'project',
    query: deleteKeyQuerySchema,
  },
  {
    method: 'delete',
    path: '/api/v1/translation-keys/bulk',
    tag: 'Translation keys',
    summary: 'Bulk delete keys',
    token: 'project',
    body: deleteKeysRequestSchema,
    data: bulkResultSchema,
  },
  {
    method: 'post',
    path: '/api/v1/translation-keys/bulk',
    tag: 'Translation keys',
    summary: 'Bulk create keys',
    token: 'project',
    body: z.looseObject({ translationKeys: z.array(createKeyRequestSchema) }),
    data: bulkResultSchema,
    feature: 'bulk',
  },
  {
    method: 'patch',
    path: '/api/v2/translations',
    tag: 'Translations',
    summary: 'Add or set translation',
    token: 'project',
    body: setTranslationRequestSchema,
    conditions: true,
  },
  {
    method: 'get',
    path: '/api/v2/translations',
    tag: 'Translations',
    summary: 'Query translations',
    token: 'project',
    query: translationQuerySchema,
    data: z.array(translationSchema),
  },
  {
    method: 'patch',
    path: '/api/v2/translations/bulk',
    tag: 'Translations',
    summary: 'Add or set translations in bulk',
    token: 'project',
    body: z.looseObject({ translations: z.array(setTranslationRequestSchema) }),
    data: bulkResultSchema,
    feature: 'bulk',
  },
  {
    method: 'patch',
    path: '/api/v1/translations',
    tag: 'Translations',
    summary: 'Update translations (older version)',
    token: 'project',
    query: updateTranslationsQuerySchema,
    body: updateTranslationsRequestSchema,
    data: updateTranslationsResultSchema,
  },
  {
    method: 'get',
    path: '/api/v3/export',
    tag: 'Export',
    summary: 'Export v3 (deprecated)',
    token: 'project',
    query: known.exportV3,
    data: exportResultSchema,
  },
  {
    method: 'get',
    path: '/api/v4/export',
    tag: 'Export',
    summary: 'Export v4',
    token: 'project',
    query: known.exportV4,
    data: exportV4ResultSchema,
    feature: 'exportV4',
  },
  {
    method: 'post',
    path: '/api/v2/import',
    tag: 'Import',
    summary: 'Import',
    token: 'project',
    query: known.import,
    body: 'upload',
    data: importResultSchema,
    bare: true,
    conditions: true,
  },
]

/** OpenAPI 3.1. Operations that are switched off are not described. */
export function describeApi(features: ServiceFeatures, tokenHeader: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of OPERATIONS) {
    if (operation.feature && !features[operation.feature]) continue
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, features) }
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
  { name: 'If-Match', description: '* or digests in double quotes: the text that the writer expects. Else 412.' },
  { name: 'If-None-Match', description: '*: the writer expects no text. Else 412.' },
].map((header) => ({ ...header, in: 'header', required: false, schema: { type: 'string' } }))

function describe(operation: Operation, { conditionalWrites }: ServiceFeatures): object {
  const { path, tag, summary, token, query, body, data, bare } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = query ? describeQuery(query) : []
  return {
    tags: [tag],
    summary,
    security: [{ [token]: [] }],
    parameters: [...inPath, ...inQuery, ...(conditionalWrites && operation.conditions ? CONDITIONS : [])],
    ...(body && { requestBody: { required: true, content: describeBody(body) } }),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: describeAnswer(data, bare) } } },
      default: {
        description: 'Error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

function describeQuery(query: z.ZodObject): object[] {
  const described = z.toJSONSchema(query, { io: 'input' })
  return Object.entries(described.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: described.required?.includes(name) ?? false,
    schema,
  }))
}

function describeBody(body: z.ZodType | 'upload'): object {
  if (body !== 'upload') return { 'application/json': { schema: toSchema(body) } }
  const schema = {
    type: 'object',
    required: ['file'],
    properties: { file: { type: 'string', contentMediaType: 'application/json' } },
  }
  return { 'multipart/form-data': { schema } }
}

function describeAnswer(data: z.ZodType | undefined, bare: true | undefined): object {
  const payload = data ? toSchema(data) : {}
  if (bare) return payload
  return {
    type: 'object',
    required: ['msg', 'status', 'data'],
    properties: { msg: { type: 'string' }, status: { type: 'integer' }, data: payload },
  }
}

function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}
