/** Generated programs that run: every key that one of them asks for must count as used. */
import '../../helpers/seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { execute } from '../../helpers/program-libraries.ts'
import { NAMESPACES, programs, sourceOf } from '../../helpers/programs.ts'
import { repeats } from '../../helpers/repeats.ts'
import { usedIn } from '../../helpers/usage.ts'

test('no generated program asks for a key that does not count as used', { timeout: 600_000 }, async () => {
  let all = 0
  let asking = 0
  let pruned = 0
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const { asked } = await execute(program)
      // The code of packages is not analyzed, as in a build.
      const used = usedIn(program.files, { namespaces: NAMESPACES, defaultNamespace: 'common' })
      const dropped = asked.filter(({ namespace, key }) => !used.isUsed(namespace, key))
      const unread = used.unknownCalls.filter(({ reason }) => reason === 'syntax')
      all++
      if (asked.length > 0) asking++
      if (NAMESPACES.some((namespace) => !used.isUsed(namespace, 'never'))) pruned++
      expect({ dropped, unread }, sourceOf(program)).toEqual({ dropped: [], unread: [] })
    }),
    { numRuns: repeats(60, 4000) },
  )
  // The programs do ask, and what none of them asks for is not all kept.
  expect(asking / all).toBeGreaterThan(0.8)
  expect(pruned / all).toBeGreaterThan(0.1)
})
