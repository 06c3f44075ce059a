/** Next.js evaluates its configuration in many processes. Decides which process generates the modules. */
import { toPosix } from '../shared/paths.ts'

/**
 * `build`: generates once, before the build. `dev`: generates and watches, in the process of the dev server. `reader`:
 * uses the modules that another process generates. `none`: bundles nothing.
 */
export type Role = 'build' | 'dev' | 'reader' | 'none'

const DEV_PHASE = 'phase-development-server'
const BUILD_PHASES = ['phase-production-build', 'phase-analyze']

/** Commands that bundle with the configuration. Others (`typegen`, `lint`, `info`) only read it. */
const BUILD_COMMANDS = ['build', 'analyze', 'experimental-analyze', 'experimental-compile']

const NEXT_COMMAND = /\/(?:\.bin\/next|next\/dist\/bin\/next)$/
const NEXT_DEV_SERVER = /\/next\/dist\/server\/lib\/start-server\.js$/
const NEXT_SCRIPT = /\/next\/dist\//

/** @param argv of the process. Any other script than Next.js's own is a server or a build of the project's. */
export function roleOf(phase: string, [, path = '', ...args]: readonly string[]): Role {
  const isDev = phase === DEV_PHASE
  if (!isDev && !BUILD_PHASES.includes(phase)) return 'none'
  const script = toPosix(path)
  const own = isDev ? 'dev' : 'build'
  // The command starts the dev server in a process of its own, which an edit of next.config restarts.
  if (NEXT_COMMAND.test(script)) return !isDev && isBuildCommand(args) ? 'build' : 'reader'
  if (NEXT_DEV_SERVER.test(script)) return own
  return NEXT_SCRIPT.test(script) ? 'reader' : own
}

function isBuildCommand(args: readonly string[]): boolean {
  const command = args.find((argument) => !argument.startsWith('-'))
  return command !== undefined && BUILD_COMMANDS.includes(command)
}
