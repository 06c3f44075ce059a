/** Other programs open translation files while `pull` writes them: antivirus, indexers, editors. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from '../helpers/processes.ts'
import { oddFolder, withService } from './app.ts'

/** `npm run test:windows` sets 200. */
const PULLS = Number(process.env.PULLS ?? 20)
const NAMESPACES = ['a', 'b', 'c']

/** Opens the files at random, and keeps each open for up to 30 ms; in Windows, some without sharing. */
const OPENER = `
  const fs = require('node:fs')
  const files = process.argv.slice(1)
  const pick = (list) => list[Math.floor(Math.random() * list.length)]
  let opened = 0
  const next = () => {
    try {
      // libuv's UV_FS_O_EXLOCK.
      const exclusive = process.platform === 'win32' && Math.random() < 0.1 ? 0x10000000 : 0
      const handle = fs.openSync(pick(files), fs.constants.O_RDWR | exclusive)
      opened++
      setTimeout(() => { fs.closeSync(handle); setTimeout(next, Math.random() * 10) }, Math.random() * 30)
    } catch { setTimeout(next, 1) }
  }
  for (let i = 0; i < 2; i++) next()
  console.log('opens')
  process.on('message', () => { console.log(opened); process.exit() })`

/** The content, also of a file that the other program does not share. */
async function readWhenFree(file: string): Promise<string> {
  let content: string | undefined
  const read = async () => {
    content = await readFile(file, 'utf8').catch(() => undefined)
    return content
  }
  await expect.poll(read, { interval: 5 }).toBeDefined()
  return content ?? ''
}

test('no pull tears a file or loses a text', async () => {
  const paths = NAMESPACES.map((name) => `locales/en/${name}.json`)
  const text = (round: number) => `${round} `.repeat(500)
  const root = await oddFolder({
    'localization.config.mjs': `export default { defaultLanguage: 'en', pull: true }`,
    ...Object.fromEntries(paths.map((path) => [path, { changing: text(0), kept: 'kept' }])),
  })
  const files = paths.map((path) => join(root, path))
  const { client, run } = await withService(root)
  const pushed = await run('push')
  expect(pushed.code, pushed.output).toBe(0)
  const opener = startProcess([process.execPath, '-e', OPENER, ...files], { ipc: true })
  expect(await opener.firstLine).toBe('opens')
  let failed = 0
  for (let round = 1; round <= PULLS; round++) {
    await client.translations.update(
      NAMESPACES.map((namespace) => ({ key: 'changing', language: 'en', namespace, text: text(round) })),
    )
    const { code, output } = await run('pull')
    if (code !== 0) {
      failed++
      expect(output).toMatch(/cannot be read|cannot write|in the meantime: not written/)
    }
    for (const file of files) {
      const { changing, kept } = JSON.parse(await readWhenFree(file)) as Record<string, string>
      expect([text(Number.parseInt(changing ?? '', 10)), kept]).toEqual([changing, 'kept'])
    }
  }
  opener.child.send('end')
  const opened = Number((await opener.ended).stdout.split('\n')[1])
  expect(opened).toBeGreaterThan(PULLS / 2)
  const last = await run('pull')
  expect(last.code, last.output).toBe(0)
  for (const file of files)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ changing: text(PULLS), kept: 'kept' })
  process.stdout.write(`${PULLS} pulls, ${failed} reported a file in use, which was opened ${opened} times\n`)
})
