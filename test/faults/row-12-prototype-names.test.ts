/** Row 12: `__proto__`, `constructor` are names like any other: all the way round, and no prototype changes. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, fileTexts, serviceTexts, startDevServer, type TextsByFile } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const row = faultRow(12)
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'then',
  'default',
  'length',
]

/** `{"__proto__": ...}` as data. */
const data = (text: (name: string) => string) =>
  JSON.parse(`{${NAMES.map((name) => `${JSON.stringify(name)}:${JSON.stringify(text(name))}`).join(',')}}`) as Record<
    string,
    string
  >

const own = (texts: TextsByFile) =>
  Object.fromEntries(
    Object.entries(texts).map(([file, messages]) => [
      file,
      Object.fromEntries(Object.entries(messages).map(([k, v]) => [`own ${k}`, v])),
    ]),
  )

test.each(['patch', 'import'])('keys: pushed by %s, pulled into an empty folder', async (via) => {
  const project = await startProject({ service: true })
  const root = await createApp({ 'en/common': data((name) => `Text ${name}`) }, project)
  const push = await command(root, project.baseUrl, ['push', '--via', via], { apiKey: project.apiKey })
  expect(push.code, push.stderr).toBe(0)
  row.kept(own(await serviceTexts(project)), own({ 'en/common': data((name) => `Text ${name}`) }))
  const empty = await tempFolder()
  await writeTree(empty, { 'localization.config.json': { source: 'files', defaultLanguage: 'en' } })
  const pull = await command(empty, project.baseUrl, ['pull'], { apiKey: project.apiKey })
  expect(pull.code, pull.stderr).toBe(0)
  row.kept(own(await fileTexts(empty, ['en/common'])), own({ 'en/common': data((name) => `Text ${name}`) }))
  row.alsoTried(NAMES.length)
})

test('namespaces', async () => {
  const project = await startProject({ service: true })
  const texts = Object.fromEntries(NAMES.map((name) => [`en/${name}`, { title: name }]))
  const root = await createApp(texts, project, { defaultNamespace: 'none' })
  const push = await command(root, project.baseUrl, ['push'], { apiKey: project.apiKey })
  expect(push.code, push.stderr).toBe(0)
  row.kept(await serviceTexts(project), texts)
})

test('edited in a dev server', async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  const root = await createApp({ 'en/common': data((name) => `Text ${name}`) }, proxy)
  await command(root, project.baseUrl, ['push'], { apiKey: project.apiKey })
  await startDevServer(root, project.apiKey, proxy)
  const edited = { 'en/common': data((name) => `Edited ${name}`) }
  await save(join(root, 'locales/en/common.json'), JSON.stringify(edited['en/common']))
  await expect.poll(async () => own(await serviceTexts(project)), { timeout: 90_000 }).toEqual(own(edited))
  row.kept(own(await serviceTexts(project)), own(edited))
})

test('no prototype has changed in this process', () => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(
    [
      'constructor',
      '__defineGetter__',
      '__defineSetter__',
      'hasOwnProperty',
      '__lookupGetter__',
      '__lookupSetter__',
      'isPrototypeOf',
      'propertyIsEnumerable',
      'toString',
      'valueOf',
      '__proto__',
      'toLocaleString',
    ].sort(),
  )
})
