/** HTTP's validators: an answer names its version, and a later request asks whether there is another one. */

/** The headers `ETag` and `Last-Modified`, as far as the server sent them. */
export interface FileValidators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

/** The headers of a conditional request, and the further status that its answer may have. */
export function conditionOf({ etag, lastModified }: FileValidators) {
  const headers: Record<string, string> = {
    ...(etag !== undefined && { 'if-none-match': checkedEtag(etag) }),
    ...(lastModified !== undefined && { 'if-modified-since': new Date(lastModified).toUTCString() }),
  }
  return { headers, statuses: Object.keys(headers).length === 0 ? [] : [304] }
}

/** An entity tag comes from an answer or from a file on disk. One that cannot stand in a header is not sent. */
function checkedEtag(etag: string): string {
  return /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag) ? etag : '""'
}
