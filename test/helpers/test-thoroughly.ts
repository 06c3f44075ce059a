import { test } from 'vitest'
import { repeats } from './repeats.ts'

type Register = (name: string, run: () => Promise<void>, timeoutMs?: number) => void

/** Registers a test that only the project `thorough` of `vitest.ci.config.ts` runs. */
export const testThoroughly: Register = repeats<Register>(() => {}, test)
