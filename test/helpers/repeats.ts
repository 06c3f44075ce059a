/**
 * How often a test does the same thing, or which of its many cases run: `few` in `.ci/run`, `many` with `THOROUGH=1`,
 * which the project `thorough` of `vitest.ci.config.ts` sets.
 */
export function repeats<T>(few: T, many: T): T {
  return process.env.THOROUGH === '1' ? many : few
}
