import { expect, test } from 'vitest'
import { isPrivate } from '../../../src/plugin/private-files.ts'

test.each([
  '/.localization',
  '/a/.LocalizatioN/b',
  '/%2e%6Cocalization/x',
  `/%${'25'.repeat(20)}2elocalization/x`,
  '/.localization%00/x',
  'C:\\app\\.localization\\x',
  '/.localization. ./x',
  '/.\u200blocalization/x',
  '/%EF%BC%8Elocalization/x',
  '/LOCALI~2/x',
  '/x?file=/app/.localization/y',
])('%s leads into the folder', (address) => {
  expect(isPrivate(address, ['/app'])).toBe(true)
})

test.each([
  '/',
  '/main.js?t=1',
  '/localization/x',
  '/.localization-notes/x',
  '/x.localization/y',
  '/__localization/api/rows?search=100%25',
  '/%',
  '/%zzlocalization',
  '/localization.config.ts',
])('%s does not', (address) => {
  expect(isPrivate(address, ['/app'])).toBe(false)
})

test('the path of a served folder may hold one', () => {
  const roots = ['/home/me/.localization/app', '/home/me/.localization/packages']
  expect(isPrivate('/@fs/home/me/.localization/app/main.js', roots)).toBe(false)
  expect(isPrivate('/home/me/.localization/packages/node_modules/vue/index.js', roots)).toBe(false)
  expect(isPrivate('/@fs/home/me/.localization/app/.localization/service/service.json', roots)).toBe(true)
  expect(isPrivate('/@fs/home/me/.localization/app/../service/service.json', roots)).toBe(true)
  expect(isPrivate('/.localization/app/main.js', roots)).toBe(true)
})
