/** Contract: Import and Export; version 4 from the facts paper. */
import { type FileFormat, fileFormatSchema } from '../../api/schemas.ts'
import { textsDigest } from '../../shared/text-digest.ts'
import { requireApiKey } from '../auth.ts'
import { readCondition } from '../conditions.ts'
import { envelope, type ServiceApp, type ServiceContext } from '../context.ts'
import { EXPORT_OPTIONS, exportV3, exportV4 } from '../exporting.ts'
import { badRequest, HttpError } from '../http-error.ts'
import { checkNamespace, IMPORT_OPTIONS, isSingleLanguage, parseImportFile } from '../import-file.ts'
import { LIMITS } from '../limits.ts'
import { Query } from '../request.ts'
import { LATEST } from '../store/projects.ts'
import { readUpload } from '../upload.ts'
import { customerNotFound, languageNotFound } from './translations.ts'

const FORMATS = fileFormatSchema.options

export function addTransferRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, files, publisher, features, maxUploadBytes } = context
  const apiKey = requireApiKey(context)

  const format = (query: Query, name: string): FileFormat => {
    query.required(name)
    return query.oneOf(name, FORMATS) ?? 'multi-language-json'
  }
  const knownLanguages = (projectId: number, keys: readonly string[]) => {
    for (const key of keys) if (!store.projects.hasLanguage(projectId, key)) throw languageNotFound(key)
    return keys.length > 0 ? keys : undefined
  }
  const knownCustomer = (projectId: number, query: Query) => {
    const customer = query.filled('customerId')
    if (customer !== undefined && !store.projects.hasCustomer(projectId, customer)) throw customerNotFound(customer)
    return customer
  }

  app.post('/api/v2/import', apiKey, async (c) => {
    const project = c.get('project')
    const query = new Query(new URL(c.req.url).searchParams)
    const options = query.options('importOptions', IMPORT_OPTIONS)
    const uploadFormat = format(query, 'uploadFormat')
    const namespace = query.text('namespace') ?? ''
    checkNamespace(namespace)
    const customer = knownCustomer(project.id, query) ?? ''
    const tags = query.list('tags')
    if (tags.length > LIMITS.tags) throw badRequest(`A key has at most ${LIMITS.tags} tags.`)
    const condition = readCondition(context, c)
    if (condition && !isSingleLanguage({ format: uploadFormat, options })) {
      throw badRequest('A condition needs a file of one language: uploadFormat single-language-json, and languageKey.')
    }
    const texts = parseImportFile(await readUpload(c.env.incoming, maxUploadBytes), {
      format: uploadFormat,
      language: query.filled('languageKey'),
      options,
    })
    const replace = options.has('REPLACE_TRANSLATION_IF_FOUND')
    store.translations.importTexts(project.id, {
      namespace,
      customer,
      tags,
      replace,
      texts,
      check: condition && ((present) => condition({ digest: textsDigest(present), isEmpty: present.length === 0 })),
    })
    if (options.has('PUBLISH_AFTER_IMPORT'))
      await publishImport(context, project.id, () => publisher.publish(project, LATEST))

    let found = 0
    const unique = new Set<string>()
    for (const messages of texts.values()) {
      found += messages.size
      for (const key of messages.keys()) unique.add(key)
    }
    const names = new Map(store.projects.languages(project.id).map(({ key, name }) => [key, name]))
    return c.json({
      numberOfKeysFound: found,
      numberOfUniqueKeysFound: unique.size,
      foundLanguages: [...texts.keys()].map((key) => ({ key, name: names.get(key) ?? key })),
    })
  })

  app.get('/api/v3/export', apiKey, (c) => {
    const { id } = c.get('project')
    const query = new Query(new URL(c.req.url).searchParams)
    const path = exportV3(store, files, id, {
      format: format(query, 'downloadFormat'),
      options: query.options('exportOptions', EXPORT_OPTIONS),
      languages: knownLanguages(id, [query.filled('languageKey') ?? []].flat()),
      customer: knownCustomer(id, query),
    })
    return c.json(envelope({ url: context.fileUrl(path) }))
  })

  if (!features.exportV4) return
  // The order is always that of namespaces and keys: `sort` is taken and changes nothing.
  app.get('/api/v4/export', apiKey, (c) => {
    const { id } = c.get('project')
    const query = new Query(new URL(c.req.url).searchParams)
    const exported = exportV4(store, files, id, {
      format: format(query, 'downloadFormat'),
      options: query.options('downloadOptions', EXPORT_OPTIONS),
      languages: knownLanguages(id, query.list('languageKeys')),
      tags: query.list('tags'),
      customer: knownCustomer(id, query),
    })
    return c.json(envelope({ files: exported.map(({ path, ...file }) => ({ url: context.fileUrl(path), ...file })) }))
  })
}

/** The import is done when this is called: a publish that is running already is waited for, not an error. */
async function publishImport({ publisher }: ServiceContext, projectId: number, publish: () => Promise<void>) {
  for (;;) {
    await publisher.settled(projectId)
    try {
      return await publish()
    } catch (error) {
      if (!(error instanceof HttpError && error.code === 'PUBLISH_RUNNING')) throw error
    }
  }
}
