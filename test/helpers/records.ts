/** Text records over real files and stores, with the service as a list of texts. */
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { textId } from '../../src/catalog/text-id.ts'
import { resolveConfig } from '../../src/config/resolve.ts'
import { createFileIndex } from '../../src/files/file-index.ts'
import { BaseStore } from '../../src/sync/base.ts'
import { Outbox } from '../../src/sync/outbox.ts'
import { TextRecords } from '../../src/sync/records.ts'
import { tempFolder, writeTree } from './temp.ts'

export const ref = (key: string) => ({ language: 'en', namespace: 'common', key })
export const id = (key: string) => textId(ref(key))

/** Files and base as given; the service has the base, as far as is known. */
export async function openRecords(texts: Readonly<Record<string, string>>, known: Readonly<Record<string, string>>) {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': texts })
  const folder = join(root, '.localization/sync/test')
  const fail = (problem: unknown) => expect(problem).toBeUndefined()
  const base = new BaseStore({ folder, access: 'own', onProblem: fail, onTrouble: fail })
  const outbox = new Outbox({ folder, access: 'own', onProblem: fail, onTrouble: fail })
  onTestFinished(async () => {
    await base.close()
    await outbox.close()
  })
  await base.load()
  await outbox.load()
  for (const [key, text] of Object.entries(known)) base.set(id(key), text)
  const files = createFileIndex(resolveConfig({ source: 'files' }, { root, ci: false }))
  const records = new TextRecords(files, base, outbox, true)
  await files.scan()
  records.settleAll()
  const scan = async () => records.accept((await files.scan({ everything: true })).changes, 'live')
  const save = async (changed: Readonly<Record<string, string>>) => {
    await writeTree(root, { 'locales/en/common.json': changed })
    await scan()
  }
  const read = (known: Readonly<Record<string, string>>, mark = records.mark()) =>
    records.applyReading({
      texts: Object.entries(known).map(([key, text]) => ({ id: id(key), ref: ref(key), text })),
      seen: new Set(Object.keys(known).map(id)),
      mark,
    })
  return { root, base, outbox, records, files, save, read }
}

export const quiet = { holds: 0, conflicts: 0, outbox: 0, shown: 0 }
export const sizes = ({ records, outbox }: Awaited<ReturnType<typeof openRecords>>) => ({
  holds: [...records.holds()].length,
  conflicts: [...records.conflicts()].length,
  outbox: outbox.size,
  shown: [...records.shown()].length,
})
