/**
 * How often a test does the same thing, or which of its many cases run: `few` in `.ci/run`, `many` with `THOROUGH=1`,
 * which the project `thorough` of `vitest.ci.config.ts` sets.
 */
export function repeats<T>(few: T, many: T): T {
  return process.env.THOROUGH === '1' ? many : few
}

/**
 * Whether a case runs: in `npm test` those of the sample, with `BUNDLERS=others`, which the project `other-bundlers` of
 * `vitest.ci.config.ts` sets, the others, with `THOROUGH=1` every one.
 */
export function isSampled(name: string, sample: readonly string[]): boolean {
  return repeats(sample.includes(name) === (process.env.BUNDLERS !== 'others'), true)
}
