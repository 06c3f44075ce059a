/** The rows of the texts table, and their order. */
import type { Requests } from '../endpoints.ts'

export type Filters = Omit<Requests['rows'], 'from' | 'count' | 'stays'>
