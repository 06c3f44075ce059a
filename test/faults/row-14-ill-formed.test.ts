/**
 * Row 14: ill-formed text is refused with its place; byte order marks, CRLF and the like are kept by whatever writes.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, serviceTexts } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { startRowService } from '../helpers/throwaway-server.ts'

const row = faultRow(14)
const FILE = 'locales/en/common.json'

const ILL: [string, Buffer, RegExp][] = [
  ['a lone high surrogate', Buffer.from('{\n  "good": "Good",\n  "bad": "\\ud83d"\n}'), /common\.json:3:/],
  ['a lone low surrogate', Buffer.from('{\n  "bad": "x\\udc00"\n}'), /common\.json:2:/],
  ['a lone surrogate in a key', Buffer.from('{\n\n  "\\udfff": "x"\n}'), /common\.json:3:/],
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from('{\n  "bad": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"\n}')]),
    /common\.json:2:/,
  ],
  [
    'overlong UTF-8',
    Buffer.concat([Buffer.from('{"bad": "'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    /common\.json:1:/,
  ],
  ['UTF-16', Buffer.from('\ufeff{"bad": "x"}', 'utf16le'), /common\.json/],
]

test.each(ILL)('%s in a file: check, push and a build name the place; nothing is sent', async (_, content, place) => {
  const project = await startProject({ service: true })
  await project.importTexts('en', 'common', { good: 'Good' })
  const root = await createApp({}, project)
  await command(root, project.baseUrl, ['pull'], { apiKey: project.apiKey })
  await writeFile(join(root, FILE), content)
  const writes = () => project.requests.filter((line) => !line.startsWith('GET')).length
  const before = writes()
  for (const name of ['check', 'push']) {
    const { stdout, stderr } = await command(root, project.baseUrl, [name], { apiKey: project.apiKey })
    expect(stdout + stderr).toMatch(place)
  }
  expect(writes()).toBe(before)
  expect(await readFile(join(root, FILE))).toEqual(content)
  const { failure } = await buildFrom(project.baseUrl, { source: 'files', service: { apiKey: project.apiKey } }, root)
  expect(failure).toMatch(place)
  row.kept(await serviceTexts(project), { 'en/common': { good: 'Good' } })
})

test('a lone surrogate from the service goes into no file', async () => {
  const service = await startRowService(() => [
    { key: 'bad', namespace: 'common', language: 'en', text: 'x\ud83d' },
    { key: 'good', namespace: 'common', language: 'en', text: 'Good' },
  ])
  const root = await createApp({ 'en/common': { good: 'Good' } }, { baseUrl: service.url })
  const before = await readFile(join(root, FILE))
  const { code } = await command(root, service.url, ['pull'])
  const after = await readFile(join(root, FILE), 'utf8')
  // Either the whole answer is refused, or what is ill-formed is left out.
  expect([code, isWellFormed(after), after.includes('ud83d')]).toEqual([code, true, false])
  if (code !== 0) expect(Buffer.from(after)).toEqual(before)
})

const LAYOUTS: [string, string][] = [
  ['BOM and CRLF', '\ufeff{\r\n\t"first": "One",\r\n\t"title": "Old",\r\n\t"last": "L"\r\n}\r\n'],
  ['CR alone', '{\r  "first": "One",\r  "title": "Old",\r  "last": "L"\r}\r'],
  ['no final newline', '{\n    "first": "One",\n    "title": "Old",\n    "last": "L"\n}'],
  ['one line', '{"first":"One","title":"Old","last":"L"}'],
  ['escapes', '{\n "first": "\\u004fne",\n "title": "Old",\n "last": "\\/L\\/"\n}\n'],
  ['odd spaces', '{ "first" :"One" ,\n\n\n   "title":   "Old"\t,"last":"L" }  \n\n'],
]

test.each(LAYOUTS)('%s: a pull changes the one text and no other byte', async (_, content) => {
  const project = await startProject({ service: true })
  const texts = JSON.parse(content.replace('\ufeff', '')) as Record<string, string>
  await project.importTexts('en', 'common', texts)
  const root = await createApp({}, project)
  await writeFile(join(root, '.keep'), '')
  await command(root, project.baseUrl, ['pull'], { apiKey: project.apiKey })
  await writeFile(join(root, FILE), content)
  await command(root, project.baseUrl, ['push'], { apiKey: project.apiKey })
  await project.importTexts('en', 'common', { title: 'New "ż" \u2028' })
  const { code, stderr } = await command(root, project.baseUrl, ['pull'], { apiKey: project.apiKey })
  expect(code, stderr).toBe(0)
  const after = await readFile(join(root, FILE), 'utf8')
  const written = /"title"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(after)?.[1] ?? '""'
  expect(JSON.parse(written)).toBe('New "ż" \u2028')
  expect(after.replace(written, '"Old"')).toBe(content)
})

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
