/** Vitest's environment of tests in Chromium: Node, and a Chromium that is closed after the last file of a process. */
import { builtinEnvironments, type Environment } from 'vitest/runtime'

const { node } = builtinEnvironments

export default {
  ...node,
  name: 'chromium',
  async setup(global, options) {
    const { teardown } = await node.setup(global, options)
    return {
      async teardown() {
        await globalThis.closeChromium?.()
        await teardown(global)
      },
    }
  },
} satisfies Environment
