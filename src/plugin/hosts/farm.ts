/** Farm: ids without `\0`, because its dev server cannot address them. */

import { LocalizationError } from '../../errors.ts'
import { PLAIN_SPELLING } from '../../modules/ids.ts'
import { findLeak, leakError } from '../guard.ts'
import type { Host, HostInput } from '../host.ts'

export function farmHost({ session }: HostInput): Host {
  return {
    ids: PLAIN_SPELLING,
    // `this.error` aborts the whole process here; a throw becomes an ordinary build failure.
    fail(_context, { message }) {
      const error = new LocalizationError(message, { code: 'UNKNOWN_MODULE' })
      // Farm prints the stack behind the message, which is long enough without.
      error.stack = ''
      throw error
    },
    hotApi: () => undefined,
    depend(context, { files }) {
      for (const file of files) context.addWatchFile(file)
    },
    hooks: {
      async buildStart() {
        await session.begin()
      },
      buildEnd: () => session.end(),
      farm: {
        configResolved(config) {
          session.configure({ root: config.root ?? process.cwd(), mode: config.compilation?.mode, command: 'build' })
        },
        // Not `finalizeResources`: with source maps on, its answer crashes Farm 1.7.
        writeResources: {
          executor({ resourcesMap }) {
            const files = Object.values(resourcesMap).map(({ name, bytes }) => ({
              name,
              content: Uint8Array.from(bytes),
            }))
            const leak = findLeak(files, session.secrets())
            if (leak) throw leakError(leak)
          },
        },
      },
    },
  }
}
