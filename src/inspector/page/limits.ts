/** `MOST_KEYS` of `requests.ts`, which the page does not import because it contains the schemas. */
export const MOST_KEYS = 1_000
