/** Determines the age of texts, so that a release does not replace newer texts. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { ResolvedConfig } from '../config/types.ts'

/**
 * Returns the time of the service's response or of the snapshot. For a project that has only files, returns the time of
 * the last commit. Returns `undefined` if there is no commit, or if its time is in the future, which would prevent
 * every later release.
 */
export async function ageOf(
  remote: { readonly asOf: Date } | 'files' | undefined,
  { root }: Pick<ResolvedConfig, 'root'>,
  now: () => Date,
): Promise<Date | undefined> {
  if (typeof remote === 'object') return remote.asOf
  // A user's git may be set to show signatures.
  const args = ['log', '-1', '--no-show-signature', '--format=%cI']
  const { stdout } = await promisify(execFile)('git', args, { cwd: root }).catch(() => ({ stdout: '' }))
  const time = new Date(stdout.trim())
  return Number.isNaN(time.getTime()) || time > now() ? undefined : time
}
