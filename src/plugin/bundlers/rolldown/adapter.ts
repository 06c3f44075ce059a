/** The adapter for Rolldown, which has Rollup's hooks. */
import type { CreateAdapter } from '../../bundler-adapter.ts'
import { createRollupAdapter } from '../rollup/adapter.ts'

export const createAdapter: CreateAdapter = (input) => createRollupAdapter(input, 'rolldown')
