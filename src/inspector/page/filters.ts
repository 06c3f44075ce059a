/** Which rows the table of texts shows, and in which order. */
import type { Requests } from '../endpoints.ts'

export type Filters = Omit<Requests['rows'], 'from' | 'count' | 'stays'>
