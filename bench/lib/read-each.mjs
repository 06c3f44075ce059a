/** Reads every file below a folder, one after another: what nobody who reads them all can do without. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

for (const entry of await readdir(process.argv[2], { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const handle = await open(join(entry.parentPath, entry.name))
  const { size } = await handle.stat()
  await handle.read(Buffer.allocUnsafe(size), 0, size, 0)
  await handle.close()
}
