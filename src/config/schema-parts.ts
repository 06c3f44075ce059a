/** Building blocks for the schema. */
import * as z from 'zod'
import type { TextCheck } from './checks.ts'

export const text = () => z.string().min(1)
export const count = (minimum: number, maximum = 2 ** 31 - 1) => z.int().min(minimum).max(maximum)
/**
 * Turns a function in `checks.ts` into a zod check. The check's `rule` is the function's name, by which the generated
 * `rules.ts` refers to it.
 */
export const by = <T>(check: (value: T) => string | undefined) =>
  Object.assign(
    ({ value, issues }: z.core.ParsePayload<T>) => {
      const message = check(value)
      if (message !== undefined) issues.push({ code: 'custom', input: value, message })
    },
    { rule: check.name },
  )
export const checked = (check: TextCheck) => z.string().check(by(check))
