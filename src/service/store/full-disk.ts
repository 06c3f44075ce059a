/** True if a write failed because the disk, or the user's quota, is full. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '../../errors.ts'

const PROBE_FILE = '.service.probe'
/** More than SQLite writes in one call. */
const PROBE = new Uint8Array(65_536)

/** The WebAssembly build reports every failed write as an I/O error. Writing a probe shows whether there is room. */
export function isDiskFull(error: unknown, folder: string | undefined): boolean {
  if (folder === undefined) return false
  const message = messageOf(error)
  if (message.includes('database or disk is full') || isNoSpace(error)) return true
  return message.includes('disk I/O error') && !hasRoom(folder)
}

function hasRoom(folder: string): boolean {
  const probe = path.join(folder, PROBE_FILE)
  try {
    writeFileSync(probe, PROBE, { mode: 0o600 })
    return true
  } catch (error) {
    return !isNoSpace(error)
  } finally {
    rmSync(probe, { force: true })
  }
}

function isNoSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException)?.code ?? '')
}
