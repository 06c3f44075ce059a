/** Wraps a Next.js configuration: generates the modules, and adds aliases for them. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { createLogger } from '../logger.ts'
import type { PluginOptions } from '../plugin/public.ts'
import { toPosix } from '../shared/paths.ts'
import type { NextConfig } from './merge-config.ts'

/**
 * The role of the current process:
 * - `build`: generates the modules once, before the build.
 * - `dev`: generates the modules and updates them, in the dev server's process.
 * - `reader`: uses modules that another process generates.
 * - `none`: bundles nothing.
 */
export type Role = 'build' | 'dev' | 'reader' | 'none'

const DEV_PHASE = 'phase-development-server'
const BUILD_PHASES = ['phase-production-build', 'phase-analyze']

/** The commands that bundle with the configuration. Other commands (`typegen`, `lint`, `info`) only read it. */
const BUILD_COMMANDS = ['build', 'analyze', 'experimental-analyze', 'experimental-compile']

const NEXT_COMMAND = /\/(?:\.bin\/next|next\/dist\/bin\/next)$/
const NEXT_DEV_SERVER = /\/next\/dist\/server\/lib\/start-server\.js$/
const NEXT_SCRIPT = /\/next\/dist\//

/**
 * @param argv the arguments of the process; if the script is not part of Next.js, it is the project's own server or
 * build
 */
export function roleOf(phase: string, [, path = '', ...args]: readonly string[]): Role {
  const isDev = phase === DEV_PHASE
  if (!isDev && !BUILD_PHASES.includes(phase)) return 'none'
  const script = toPosix(path)
  const own = isDev ? 'dev' : 'build'
  // `next dev` runs the dev server in a child process, which restarts after an edit of next.config.
  if (NEXT_COMMAND.test(script)) return !isDev && isBuildCommand(args) ? 'build' : 'reader'
  if (NEXT_DEV_SERVER.test(script)) return own
  return NEXT_SCRIPT.test(script) ? 'reader' : own
}

function isBuildCommand(args: readonly string[]): boolean {
  const command = args.find((argument) => !argument.startsWith('-'))
  return command !== undefined && BUILD_COMMANDS.includes(command)
}

/** Two folders, because a dev server and a build of the same project can run at the same time. */
const FOLDERS = { dev: '.localization/modules-dev', build: '.localization/modules' } as const

const CONFIG_FILES = ['js', 'mjs', 'ts', 'mts'].map((ending) => `next.config.${ending}`)

/** Adds the modules to the configuration. Also generates them if that is the role of this process. */
export async function wrapConfig(config: NextConfig, phase: string, options: PluginOptions): Promise<NextConfig> {
  const role = roleOf(phase, process.argv)
  if (role === 'none') return config
  const root = resolve(options.root ?? '.')
  const folder = FOLDERS[phase === DEV_PHASE ? 'dev' : 'build']
  checkRoot(root, options)
  const { secrets, rewrites } = role === 'reader' ? NOTHING : await generateOnce(role, root, options, config.basePath)
  // Imported dynamically, because `next start` does not need it.
  const { mergeConfig } = await import('./merge-config.ts')
  return mergeConfig(config, {
    root,
    folder,
    secrets: role === 'build' ? secrets : undefined,
    rewrites,
    logger: createLogger(),
  })
}

/**
 * Throws unless the project's folder is known. Next.js does not pass it to the configuration, so it must be `root` or
 * the current folder.
 */
function checkRoot(root: string, options: PluginOptions): void {
  if (options.root !== undefined || CONFIG_FILES.some((name) => existsSync(join(root, name)))) return
  throw new LocalizationError('no next.config.* in the current folder: Next.js loaded it from a different folder', {
    code: 'CONFIG_INVALID',
    place: { file: root },
    hint: 'Pass that folder: withLocalization(nextConfig, { root: import.meta.dirname }).',
  })
}

interface Generated {
  /** Strings that must not appear in the output. */
  readonly secrets: readonly string[]
  /** The rewrites for the inspector. Empty except in `dev`. */
  readonly rewrites: readonly object[]
}

const NOTHING: Generated = { secrets: [], rewrites: [] }

/**
 * The results, which are kept because Next.js evaluates its configuration several times per process, sometimes
 * concurrently.
 */
const generations = new Map<string, Promise<Generated>>()

/** @param base Next.js serves the `public` folder below this path */
function generateOnce(
  role: 'build' | 'dev',
  root: string,
  options: PluginOptions,
  base: string | undefined,
): Promise<Generated> {
  const key = JSON.stringify([role, root])
  const running = generations.get(key) ?? generate(role, root, options, base)
  generations.set(key, running)
  // After a failure, the next evaluation generates again, because the texts may be correct by then.
  running.catch(() => generations.delete(key))
  return running
}

async function generate(role: 'build' | 'dev', root: string, options: PluginOptions, base = ''): Promise<Generated> {
  const [{ startGenerate }, { startInspector }, { createActivity, recording }] = await Promise.all([
    import('../generate/generate.ts'),
    import('./inspector.ts'),
    import('../inspector/activity.ts'),
  ])
  const watch = role === 'dev'
  const activity = createActivity(Date.now)
  let rewrites: readonly object[] = []
  const generation = await startGenerate({
    root,
    options,
    mode: watch ? 'development' : 'production',
    // This is an absolute path, because the project's root may be a parent of the folder of the Next.js app.
    out: join(root, FOLDERS[role]),
    served: { folder: join(root, 'public'), base: `${base}/` },
    watch,
    hot: 'next',
    clientPrefixes: ['NEXT_PUBLIC_'],
    unknownFile: true,
    program: 'next dev',
    logger: recording(createLogger(), activity),
    ...(watch && {
      async onSession(session) {
        rewrites = await startInspector(session, activity)
      },
    }),
  })
  // In dev, watching ends when the dev server's process ends.
  if (!watch) await generation.close()
  return { secrets: generation.secrets, rewrites }
}
