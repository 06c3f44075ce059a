/** What keeps Vite's servers from handing out `.localization`, in each place where Vite decides what it serves. */
import type { Connect, ResolvedConfig } from 'vite'
import type { Middleware } from '../../inspector.ts'
import { isPrivate } from '../../private-files.ts'

/** Absolute paths. */
export function servedFolders({ root, server }: ResolvedConfig): readonly string[] {
  return [root, ...server.fs.allow.filter((folder) => !isPrivate(folder, [root]))]
}

/**
 * Adds to `server.fs.deny` and removes nothing: a new value of the option would replace Vite's own list, which grows
 * from version to version. Vite 6 and later have made a function of the list by now.
 */
export function denyPrivateFiles(config: ResolvedConfig, served: readonly string[]): void {
  const holder = config as { fsDenyGlob?: (path: string) => boolean }
  const denied = holder.fsDenyGlob
  if (denied) holder.fsDenyGlob = (path) => denied(path) || isPrivate(path, served)
  // The pattern would deny everything of a project that lives in such a folder.
  if (!isPrivate(config.root, [])) config.server.fs.deny = [...config.server.fs.deny, '**/.localization/**']
}

/** In front of Vite's own middlewares and of other plugins'. */
export function refuseFirst({ stack }: Connect.Server, handle: Middleware): void {
  stack.unshift({ route: '', handle: handle as Connect.HandleFunction })
}
