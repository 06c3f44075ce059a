/** `serve --check`: starts the service, checks its data for damage, and stops. It stores no personal token. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import type { LocalServiceOptions } from './options.ts'
import { createLocalService } from './server.ts'
import { startError } from './store/migrate.ts'
import { DATABASE_FILE, writingData } from './store/open.ts'
import { parseAddress } from './store/postgres-pool.ts'

/**
 * Resolves when the service has stopped. If the data folder has no data, the service starts in a temporary folder next
 * to it, so that checking a mistyped path does not create a folder. Returns the service's URLs, and the file or
 * database that was checked, or `undefined` if there is no data yet.
 *
 * @throws LocalizationError like `createLocalService`; `SERVICE_START` if the data is damaged.
 */
export async function checkService(options: LocalServiceOptions) {
  const { dataDir, databaseUrl } = options
  if (databaseUrl !== undefined) return { ...(await startAndStop(options)), data: parseAddress(databaseUrl).place }
  if (dataDir === undefined) return { ...(await startAndStop(options)), data: undefined }
  const file = path.join(dataDir, DATABASE_FILE)
  const found = await writingData(dataDir, () => statSync(file, { throwIfNoEntry: false }))
  // A normal start would treat an empty file as new data.
  if (found?.size === 0) {
    const hint = 'Restore a backup of it, or delete it if it contained no data.'
    throw startError(`the file ${file} is empty`, { hint })
  }
  if (found) return { ...(await startAndStop(options)), data: file }
  const trial = await writingData(dataDir, () => mkdtempSync(path.join(nearestFolder(dataDir), '.localization-check-')))
  try {
    return { ...(await startAndStop({ ...options, dataDir: trial })), data: undefined }
  } finally {
    rmSync(trial, { recursive: true, force: true })
  }
}

async function startAndStop(options: LocalServiceOptions) {
  const { baseUrl, cdnUrl, close } = await createLocalService({ ...options, drainMs: 0, isCheck: true })
  await close()
  return { baseUrl, cdnUrl }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(path.dirname(folder))
}
