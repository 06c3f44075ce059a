/** What the schema of the options is made of. */
import * as z from 'zod'
import type { TextCheck } from './checks.ts'

export const text = () => z.string().min(1)
export const count = (minimum: number, maximum = 2 ** 31 - 1) => z.int().min(minimum).max(maximum)
/** Makes a zod check of a function that returns the problem of a value. */
export const by =
  <T>(check: (value: T) => string | undefined) =>
  ({ value, issues }: z.core.ParsePayload<T>) => {
    const message = check(value)
    if (message !== undefined) issues.push({ code: 'custom', input: value, message })
  }
export const checked = (check: TextCheck) => z.string().check(by(check))
