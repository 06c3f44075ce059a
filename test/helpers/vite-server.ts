/** Vite's dev server, started so that other tests beside it do no harm. */
import { dirname } from 'node:path'
import type { ViteDevServer } from 'vite'
import { expect } from 'vitest'

/** Listens. For port 0 Vite looks for a free port and takes it a moment later: somebody else may have it by then. */
export async function listen(server: ViteDevServer): Promise<ViteDevServer> {
  for (let tries = 1; ; tries++) {
    try {
      return await server.listen()
    } catch (error) {
      if (tries === 10 || !/already in use/.test(String(error))) throw error
    }
  }
}

/** Resolves when an edit of that file will be seen: Vite does not wait for its watcher before it listens. */
export async function watches(server: ViteDevServer, file: string): Promise<void> {
  const name = file.slice(dirname(file).length + 1)
  await expect.poll(() => server.watcher.getWatched()[dirname(file)], { interval: 20 }).toContain(name)
}
