/** `MOST_KEYS` of `requests.ts`, which a page cannot import: it holds the schemas. */
export const MOST_KEYS = 1_000
