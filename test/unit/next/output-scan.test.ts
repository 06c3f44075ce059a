import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOutputScan } from '../../../src/next/merge-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const SECRET = 'a-secret-of-the-build'

test('finds a secret in files of any depth, removes them and names the first', async () => {
  const root = await tempFolder()
  await writeTree(root, {
    '.next/static/chunks/a.js': 'nothing\n',
    '.next/static/chunks/b.js': `one\nlet key = '${SECRET}'\n`,
    '.next/server/app/en.html': `<i>${SECRET}</i>`,
  })
  const scan = createOutputScan(root, [SECRET])
  const folders = ['static', 'server', 'absent'].map((name) => join(root, '.next', name))
  expect(() => scan(folders)).toThrow(
    /service \(a-\*\*\*, plain\): \.next\/static\/chunks\/b\.js:2:12.*Removed the file and 1 more/,
  )
  expect(existsSync(join(root, '.next/server/app/en.html'))).toBe(false)
  expect(existsSync(join(root, '.next/static/chunks/a.js'))).toBe(true)
  scan(folders)
  await writeTree(root, { '.next/server/app/pl.rsc': SECRET })
  expect(() => scan(folders)).toThrow('pl.rsc')
})

test('leaves out what the build does not make: packages, and the environment of a server', async () => {
  const root = await tempFolder()
  const files = { 'out/node_modules/own/index.js': SECRET, 'out/.env': `KEY=${SECRET}`, 'out/.env.production': SECRET }
  await writeTree(root, files)
  createOutputScan(root, [SECRET])([join(root, 'out')])
  for (const name of Object.keys(files)) expect(existsSync(join(root, name))).toBe(true)
})
