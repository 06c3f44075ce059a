import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'

/** Resolves when nothing holds these objects any more. */
export async function areFreed(refs: readonly WeakRef<object>[]): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = () => {
    collect()
    return refs.filter((ref) => ref.deref() !== undefined).length
  }
  await expect.poll(held, { timeout: 10_000 }).toBe(0)
}
