// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** Keys that files of any type name. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/resolve.ts'
import { scanTexts } from '../../../src/usage/literals.ts'
import { createTextFinder } from '../../../src/usage/sources/find.ts'
import { readNamedTexts, readSourcesUsage } from '../../../src/usage/sources/read.ts'
import { type Tree, tempFolder, writeTree } from '../../helpers/temp.ts'

const NAMING = { keySeparator: '.', pluralSeparator: '_' }

function namedIn(source: string, keys: readonly string[], namespace = 'shop'): string[] {
  const module = ['a.html', { uses: [], unknown: [], names: scanTexts(source) }] as const
  const find = createTextFinder([module], NAMING, 'names')
  return keys.filter((key) => find(namespace, key))
}

describe('a key is named by', () => {
  test.each([
    ['a quoted text', `<b title="menu.open">`],
    ['single quotes', `render('menu.open')`],
    ['backticks', '`menu.open`'],
    ['an attribute without quotes', '<b data-i18n=menu.open class=x>'],
    ['an expression', '{{ menu.open }}'],
    ['a word of an expression', '{{t menu.open count=2}}'],
    ['a quoted text of an expression', `{{ 'menu.open' | translate }}`],
    ['an expression behind a dollar', '<p>${menu.open}</p>'],
    ['the text of an element', '<span translate>\n  menu.open\n</span>'],
    ['a value of YAML', 'label: menu.open'],
    ['JSON in an attribute', '<x-menu data="{&quot;label&quot;:&quot;menu.open&quot;}">'],
    ['its namespace and itself', `"shop:menu.open"`],
    ['its namespace with a dot', `"shop.menu.open"`],
    ['what it is a form of', `"menu"`.replace('menu', 'menu.open')],
    ['a template', '"menu.{{name}}"'],
    ['a template behind a dollar', '`menu.${name}`'],
    ['a text that ends in a separator', `label = "menu." + name`],
    ['an escaped text', String.raw`"\u006denu.open"`],
    ['one minified line', `var a="x",b='y',c="menu.open",d=\`z\``],
  ])('%s: %s', (_name, source) => {
    expect(namedIn(source, ['menu.open', 'other.open', 'menu'])).toContain('menu.open')
    expect(namedIn(source, ['other.open', 'open.menu', 'm'])).toEqual([])
  })

  test('forms, other namespaces, and what is no name', () => {
    expect(namedIn('"item"', ['item_one', 'item_other', 'items', 'item.a'])).toEqual(['item_one', 'item_other'])
    expect(namedIn('"shop:a"', ['a'], 'common')).toEqual([])
    expect(namedIn('"{{a}}" "${b}" "{{a}}.{{b}}"', ['c', 'c.d'])).toEqual([])
    expect(namedIn('// menu.open is not quoted', ['menu.open'])).toEqual([])
    expect(namedIn('{{{{{{ "}}" {{', ['x'])).toEqual([])
  })

  test('the place is that in the file', () => {
    expect(scanTexts('<p>\r\n  <b title="a.b">').find(({ text }) => text === 'a.b')).toEqual({
      text: 'a.b',
      isPattern: false,
      line: 2,
      column: 13,
    })
  })
})

async function project(files: Tree, usage: object) {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/shop.json': { a: 'A' }, ...files })
  return loadConfig({ root, options: { usage }, configFile: false })
}

const textsOf = (modules: Awaited<ReturnType<typeof readNamedTexts>>['modules']) =>
  Object.fromEntries(modules.map(([file, { names = [] }]) => [file, names.map(({ text }) => text)]))

test('the project itself is not read: its texts and declarations name every key', async () => {
  const config = await project({ 'a.html': '"x"', 'types.d.ts': '"y"', 'x.json': '"z"' }, { literalsIn: ['**/*'] })
  const { modules, warnings } = await readNamedTexts(config)
  expect(textsOf(modules)).toEqual({ 'a.html': ['x'], 'locales/en/shop.json': [], 'types.d.ts': [], 'x.json': ['z'] })
  expect(warnings).toEqual([])
})

test('encodings, binary files, and a large file', async () => {
  const config = await project({ 'a.txt': '' }, { literalsIn: ['*.txt', 'none/*.erb'] })
  const write = (name: string, bytes: Buffer) => writeFile(join(config.root, name), bytes)
  await write('latin.txt', Buffer.from('"größe.x"', 'latin1'))
  await write('utf8.txt', Buffer.from('\ufeff"größe.y"'))
  await write('wide.txt', Buffer.from('\ufeff"größe.z"', 'utf16le'))
  await write('binary.txt', Buffer.from([0, 255, 254, 0, ...Buffer.from('"in.binary"'), 0, 1, 128]))
  for (const [name, text] of [
    ['open.txt', '{{'],
    ['shut.txt', '>'],
    ['dollar.txt', '${'],
  ] as const)
    await write(name, Buffer.from(`${text}${' '.repeat(2_500_000)}${text.repeat(1_000_000)}`))
  const rows = Array.from({ length: 150_000 }, (_, at) => `<b title="row${at}.text">{{ x${at} }}</b>\n`).join('')
  await write('large.txt', Buffer.from(`${rows}${'"'.repeat(500_000)}{{"large.end"`))
  const { modules, warnings, files } = await readNamedTexts(config)
  const find = createTextFinder(modules, NAMING, 'names')
  const keys = ['größe.x', 'größe.y', 'größe.z', 'in.binary', 'row149999.text', 'large.end', 'row150000.text']
  expect(keys.filter((key) => find('shop', key))).toEqual(keys.slice(0, -1))
  expect(find('shop', 'row7.text')).toMatchObject({ file: 'large.txt', line: 8 })
  expect([files.length, warnings]).toEqual([9, ['usage.literalsIn: "none/*.erb" matches no file']])
})

test('files of usage.files that are not code are read as text', async () => {
  const files = { 'src/a.ts': "t('a')", 'src/b.html': "{{ 'menu.open' | translate }}", 'src/c.json': '{"k": "v.w"}' }
  const config = await project(files, { files: ['src/**', '../nowhere/**'], literalsIn: ['src/b.html'] })
  const { signal } = new AbortController()
  const { modules, warnings } = await readSourcesUsage(config, {}, signal)
  const { 'src/a.ts': code, ...texts } = textsOf(modules)
  expect(code).toEqual([])
  expect(Object.values(texts).flat()).toEqual(expect.arrayContaining(['menu.open', 'v.w']))
  expect(warnings).toEqual(['usage.files: "../nowhere/**" matches no file'])
  const given = await readSourcesUsage(config, { files: ['src/a.ts', '../b/*'], names: true }, signal)
  expect(given.modules.map(([file]) => file)).toEqual(['src/a.ts', 'src/b.html'])
  expect(given.warnings).toEqual(['--source: "../b/*" matches no file'])
})
