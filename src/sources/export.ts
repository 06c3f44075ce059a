/**
 * The `export` source. It uses version 4 of the service's export. If the service lacks version 4, the source uses
 * version 3, which has no namespaces.
 */

import type { FileValidators } from '../api/call.ts'
import type { ExportFile } from '../api/schemas.ts'
import type { Layer } from '../catalog/merge.ts'
import { createCatalog, type Language } from '../catalog/model.ts'
import { appLanguage, nameFilter, relevantLanguages } from '../catalog/names.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { languageName } from '../shared/language-name.ts'
import { projectInfo, type ServiceSource, type SourceContext, type SourceResult, textsOf } from './source.ts'
import { type ReadHeader, SETTLED_MS } from './validator.ts'

type Part = PartRef & Layer

export const exportSource: ServiceSource = {
  load: loadFromExport,
  isComplete: () => true,
}

async function loadFromExport(context: SourceContext): Promise<SourceResult> {
  const [languages, exported] = await Promise.all([projectLanguages(context), exportParts(context)])
  return {
    // As with hosting, the app has every language of the project. A language without texts shows the fallback's texts.
    catalog: createCatalog({ languages, parts: exported.parts }),
    detail: exported.detail,
    diagnostics: [],
  }
}

/** The languages with their names, if the service has information about the project. */
async function projectLanguages(context: SourceContext): Promise<readonly Language[]> {
  const info = await projectInfo(context)
  return (info?.languages ?? []).map(({ key, name, isDefault }) => ({
    key,
    name: name === '' ? languageName(key) : name,
    isDefault,
  }))
}

async function exportParts(context: SourceContext): Promise<{ parts: Part[]; detail: string }> {
  const general = await exportLayer(context, undefined)
  const layers = await Promise.all(context.config.customers.map((customer) => exportLayer(context, customer)))
  layers.forEach(({ version }, i) => {
    if (version !== general.version) throw unknownCustomer(context.config.customers[i] as string)
  })
  const all = [general, ...layers]
  const files = all.reduce((sum, layer) => sum + layer.files, 0)
  return {
    parts: all.flatMap((layer) => layer.parts),
    detail: `export ${general.version}, ${files} ${files === 1 ? 'file' : 'files'}`,
  }
}

/**
 * Exports a customer's texts, or the general ones. The request does not list languages, because a service responds with
 * 404 to an unknown language, which would look as if the service did not support v4.
 */
async function exportLayer(context: SourceContext, customer: string | undefined) {
  const { client, config, signal } = context
  const v4 = await client.exports.v4(
    {
      downloadFormat: 'single-language-json',
      downloadOptions: ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES'],
      ...(customer !== undefined && { customerId: customer }),
    },
    { signal },
  )
  if (!v4) return { version: 'v3', files: 1, parts: await exportV3(context, customer) }
  const isWanted = nameFilter(config.namespaces)
  const isRelevant = languageFilter(config)
  const wanted = v4.files.filter(
    ({ language, namespace }) => isWanted(namespace || config.defaultNamespace) && (!language || isRelevant(language)),
  )
  const parts = await Promise.all(wanted.map((file) => downloadPart(context, file, customer)))
  return { version: 'v4', files: parts.length, parts }
}

/** The error for an export that succeeds without the customer but fails with it. */
function unknownCustomer(customer: string): LocalizationError {
  return new LocalizationError(`the service has no customer ${JSON.stringify(customer)}`, {
    code: 'UNKNOWN_CUSTOMER',
    hint: 'Check the options "customer" and "customers".',
  })
}

async function downloadPart(context: SourceContext, file: ExportFile, customer: string | undefined): Promise<Part> {
  const { config } = context
  const language = file.language
  if (language === undefined || language === null || language === '') {
    throw new LocalizationError('export v4 returned a file without a language', {
      code: 'API_UNEXPECTED_ANSWER',
      hint: "Use source: 'query' or source: 'hosting' with this service.",
    })
  }
  const namespace = file.namespace ?? ''
  const content = await download(context, file.url, [language, namespace, customer])
  const where = `the exported file for ${language}/${namespace === '' ? config.defaultNamespace : namespace}`
  return { language, namespace, customer, ...textsOf(content, config, where) }
}

/** Exports a single file with all languages and without namespaces. */
async function exportV3(context: SourceContext, customer: string | undefined): Promise<Part[]> {
  const { client, config, signal } = context
  refuseNamespaces(config)
  const { url } = await client.exports.v3(
    { downloadFormat: 'multi-language-json', ...(customer !== undefined && { customerId: customer }) },
    { signal },
  )
  const content = await download(context, url, [customer])
  return Object.entries(content).map(([language, messages]) => ({
    language,
    namespace: '',
    customer,
    ...textsOf(messages, config, `the exported file, language ${JSON.stringify(language)},`),
  }))
}

/**
 * Fetches a file. The request is conditional if the last export had a file with the same URL and a validator.
 *
 * @param names identify the file in the cache. The URL cannot, because some services use a new URL for each export
 */
async function download(
  { client, resourceCache, signal }: SourceContext,
  url: string,
  names: readonly (string | undefined)[],
): Promise<Record<string, unknown>> {
  const place = JSON.stringify(['export', ...names])
  const cached = await resourceCache.get(url, place)
  let validators: FileValidators = {}
  const onHeaders = (header: ReadHeader) => {
    validators = validatorsIn(header)
  }
  const data = await client.exports.downloadJsonIfChanged(url, cached ?? {}, { signal, onHeaders })
  if (data === undefined) return cached?.data as Record<string, unknown>
  if (validators.etag !== undefined || validators.lastModified !== undefined)
    await resourceCache.set(url, { ...validators, data }, place)
  return data
}

/**
 * The response's validators. A recent `Last-Modified` is omitted, because the file may still change within the
 * same second.
 */
function validatorsIn(header: ReadHeader): FileValidators {
  const lastModified = header('last-modified') ?? ''
  const isSettled = Date.parse(header('date') ?? '') - Date.parse(lastModified) >= SETTLED_MS
  return { etag: header('etag'), lastModified: isSettled ? lastModified : undefined }
}

function refuseNamespaces({ namespaces, defaultNamespace }: ResolvedConfig): void {
  const lost = (namespaces ?? []).filter((name) => name !== defaultNamespace && !nameFilter([name])(defaultNamespace))
  if (lost.length === 0) return
  const names = lost.map((name) => JSON.stringify(name)).join(', ')
  throw new LocalizationError(
    `the configuration has the namespaces ${names}, but the service supports only export v3, without namespaces`,
    { code: 'SOURCE_NAMESPACES', hint: "Use source: 'hosting', 'query' or 'files', which support them." },
  )
}

/** Returns a test that is true if the app can show a language. Takes the service's name for the language. */
function languageFilter(config: ResolvedConfig): (language: string) => boolean {
  // Each fallback chain ends with the default language. If the option `defaultLanguage` is not set, that language is
  // known only after the download.
  if (config.fallback !== false && config.defaultLanguage === undefined) return () => true
  const isRelevant = relevantLanguages(config)
  return (language) => isRelevant(appLanguage(language, config))
}
