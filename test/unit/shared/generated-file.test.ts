import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isCurrent, writeGenerated } from '../../../src/shared/generated-file.ts'
import { tempFolder } from '../../helpers/temp.ts'

const MARK = '// Generated.'
const CONTENT = `${MARK}
declare module 'm' {
  export interface Register {
    readonly languages: 'en' | 'pl'
    readonly keys: { readonly 'title': string; readonly 'it\\'s': string }
  }
}
`

test.each([
  ['line ends', CONTENT.replaceAll('\n', '\r\n')],
  [
    'semicolons, quotes, unquoted names and broken lines',
    `${MARK}
declare module "m" {
\texport interface Register {
\t\treadonly languages:
\t\t\t| "en"
\t\t\t| "pl";
\t\treadonly keys: {
\t\t\treadonly title: string;
\t\t\treadonly "it's": string;
\t\t};
\t}
}
`,
  ],
])('%s are no difference: the file stays as it is', async (_name, formatted) => {
  const path = join(await tempFolder(), 'a.d.ts')
  await writeFile(path, formatted)
  expect(await isCurrent(path, CONTENT)).toBe(true)
  expect(await writeGenerated(path, CONTENT, MARK)).toBe(false)
  expect(await readFile(path, 'utf8')).toBe(formatted)
})

test.each([
  ['a language', "'pl'", "'de'"],
  ['one language less', " | 'pl'", ''],
  ['a key', "'title'", "'titel'"],
  ['spaces in a key', "'title'", "'ti tle'"],
  ['a separator in a key', "'title'", "'title;'"],
  ['a comment', MARK, `${MARK} Differently.`],
])('%s is a difference', async (_name, from, to) => {
  const path = join(await tempFolder(), 'a.d.ts')
  await writeFile(path, CONTENT.replace(from, to))
  expect(await isCurrent(path, CONTENT)).toBe(false)
  expect(await writeGenerated(path, CONTENT, MARK)).toBe(true)
  expect(await readFile(path, 'utf8')).toBe(CONTENT)
})
