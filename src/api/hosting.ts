import * as z from 'zod'
import { pathSegment, resourceAddress } from './address.ts'
import { parseChecked, parseJson } from './answer.ts'
import { type Caller, type CallOptions, missingOption } from './call.ts'
import { hostingCustomersSchema, hostingLanguagesSchema, type WireCustomer, type WireLanguage } from './schemas.ts'

export type HostingAnswer<T = unknown> =
  | {
      readonly kind: 'ok'
      readonly data: T
      /** The `ETag`, for the next conditional request. */
      readonly etag: string | undefined
      /** The size of the decoded body. */
      readonly bytes: number
    }
  /** The resource still has the `etag` from the request. */
  | { readonly kind: 'not-modified' }
  /** The resource is not published, or it does not exist. */
  | { readonly kind: 'missing' }

export type HostingHead =
  /** `etag` is as the host sent it; `undefined` if the host sends none. */
  { readonly kind: 'ok'; readonly etag: string | undefined } | { readonly kind: 'missing'; readonly etag?: undefined }

export interface HostingOptions extends CallOptions {
  /** The `etag` from an earlier response. If nothing has changed since then, the result is `not-modified`. */
  readonly etag?: string | undefined
}

export interface HostingPlace {
  readonly projectToken: string
  readonly environment: string
}

/** Fetches published resources without credentials (contract: Resource; facts: Hosting). */
export interface HostingApi {
  /**
   * Returns the resource that a link in an environment's status points to.
   *
   * @throws ApiError `API_ORIGIN` if the link points outside `cdnUrl`.
   */
  resource(link: string, options?: HostingOptions): Promise<HostingAnswer>
  /** A resource's ETag without its body, from a HEAD request. @throws ApiError `API_ORIGIN`, like `resource`. */
  head(link: string, options?: CallOptions): Promise<HostingHead>
  /** `_index`: the messages of all languages, as `{language: messages}`. */
  index(place: HostingPlace, options?: HostingOptions): Promise<HostingAnswer>
  /** `_languages`: the languages with their names, and the default language. */
  languages(place: HostingPlace, options?: HostingOptions): Promise<HostingAnswer<WireLanguage[]>>
  /** `_customers`: the customers with their descriptions. */
  customers(place: HostingPlace, options?: HostingOptions): Promise<HostingAnswer<WireCustomer[]>>
  /**
   * The messages of a language or of one of its namespaces. If `customer` is set, only that customer's messages. They
   * are flat or nested, depending on the project's settings.
   */
  messages(
    place: HostingPlace,
    of: { readonly language: string; readonly namespace?: string | undefined; readonly customer?: string | undefined },
    options?: HostingOptions,
  ): Promise<HostingAnswer>
}

export function createHosting(caller: Caller, cdnUrl: URL | undefined): HostingApi {
  async function resource<T extends z.ZodType>(link: string, schema: T, { etag, ...options }: HostingOptions = {}) {
    const request = {
      url: addressOf(link),
      target: 'hosting',
      headers: { accept: 'application/json' },
      validators: { etag },
      statuses: [404],
      ...options,
    } as const
    return caller.file(request, (answer): HostingAnswer<z.output<T>> => {
      if (answer.status === 304) return { kind: 'not-modified' }
      if (answer.status === 404) return { kind: 'missing' }
      const data = parseChecked(answer, parseJson(answer), schema)
      return { kind: 'ok', data, etag: answer.header('etag'), bytes: answer.body.length }
    })
  }
  const addressOf = (link: string): URL => {
    if (!cdnUrl) throw missingOption('service.cdnUrl', 'LOCALIZATION_CDN_URL')
    return resourceAddress(cdnUrl, link)
  }
  const pathOf = ({ projectToken, environment }: HostingPlace, ...rest: string[]) => {
    const project = pathSegment(projectToken, 'a project token')
    return [project, pathSegment(environment, 'an environment key'), ...rest].join('/')
  }

  return {
    resource: (link, options) => resource(link, z.unknown(), options),
    async head(link, options) {
      const headers = { accept: 'application/json' }
      const request = { method: 'HEAD', url: addressOf(link), target: 'hosting', headers, statuses: [404] } as const
      return caller.file(
        { ...request, ...options },
        ({ status, header }): HostingHead =>
          status === 404 ? { kind: 'missing' } : { kind: 'ok', etag: header('etag') },
      )
    },
    index: async (place, options) => resource(pathOf(place, '_index'), z.unknown(), options),
    languages: async (place, options) => resource(pathOf(place, '_languages'), hostingLanguagesSchema, options),
    customers: async (place, options) => resource(pathOf(place, '_customers'), hostingCustomersSchema, options),
    async messages(place, { language, namespace = '', customer }, options) {
      const first = pathSegment(customer === undefined ? language : `${language}_${customer}`, 'a language')
      const rest = namespace === '' ? [] : namespace.split('/').map((part) => pathSegment(part, 'a namespace'))
      return resource(pathOf(place, first, ...rest), z.unknown(), options)
    },
  }
}
