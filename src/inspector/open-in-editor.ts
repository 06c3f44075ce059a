/** Opens one of the project's files in the user's editor, at a line. */
import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { isInside } from '../shared/paths.ts'
import { createPathFilter } from '../usage/sources/list.ts'
import { type ActionAnswer, refused } from './protocol.ts'

/** If an editor cannot be started, it fails within this time. */
const FAILS_WITHIN_MS = 500

/**
 * @param place relative to the root, such as `src/app.ts:3:5`
 * @param onLateFailure called if the editor fails after this function has returned
 */
export async function openInEditor(
  config: ResolvedConfig,
  place: string,
  onLateFailure: (message: string) => void,
): Promise<ActionAnswer> {
  const [, name = '', line = '1', column = '1'] = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/s.exec(place) ?? []
  const file = await realpath(resolve(config.root, name)).catch(() => undefined)
  if (file === undefined || !(await stat(file)).isFile()) return refused(`${name} does not exist yet`)
  if (!(await isOfProject(config, file))) return refused(`${name} was not opened, because it is outside the project`)
  const { default: launchEditor } = await import('launch-editor')
  const failure = await new Promise<string | undefined>((settle) => {
    let isSettled = false
    const timer = setTimeout(() => {
      isSettled = true
      settle(undefined)
    }, FAILS_WITHIN_MS)
    launchEditor(`${file}:${line}:${column}`, (_, reason) => {
      const message = reason ?? 'no running editor found. Set the environment variable EDITOR or LAUNCH_EDITOR'
      if (isSettled) onLateFailure(`cannot open the editor: ${message}`)
      clearTimeout(timer)
      settle(message)
    })
  })
  return failure === undefined ? { done: 1, problems: [] } : refused(`cannot open the editor: ${failure}`)
}

/** True if the file is inside the root, or if the configuration names it: projects may share texts and sources. */
async function isOfProject(config: ResolvedConfig, file: string): Promise<boolean> {
  const { root, usage } = config
  return (
    isInside(await realpath(root), file) ||
    createFilePatterns(config).match(file) !== undefined ||
    createPathFilter(root, [...usage.files, ...usage.literalsIn]).globsOf(file).length > 0
  )
}
