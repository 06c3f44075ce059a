/** Whatever a translator writes: the time to read a text does not grow with the square of its length. */
import { expect, test } from 'vitest'
import { listPlaceholders } from '../../src/catalog/placeholders.ts'
import { pseudoLocalize } from '../../src/catalog/pseudo.ts'
import { previewsOf } from '../../src/inspector/preview.ts'
import { traceTexts } from '../../src/inspector/trace.ts'
import { pseudoLocalize as translate } from '../../src/service/providers.ts'
import { createReferenceCloser } from '../../src/usage/sources/find.ts'

const MANY = 100_000
const ZEROS = `%${'0'.repeat(MANY)} `

function trace(text: string) {
  const messages = () => new Map([['key', text]])
  const project = { namespaces: ['a'], defaultLanguage: 'en', languages: [{ key: 'en' }], messages }
  return traceTexts(project, { texts: ['x'], loaded: [] })
}

test.each([
  ['check: a format of spaces', () => listPlaceholders(`{{a,${' '.repeat(MANY)}`, 'double').length, 0],
  ['preview: a name without an end', () => previewsOf(`{{b}} {{${'a'.repeat(MANY)}`, 'en').length, 1],
  ['trace: zeros', () => trace(ZEROS), [[]]],
  [
    'prune: open references',
    () => typeof createReferenceCloser(['a'], () => [['key', '@:('.repeat(MANY)]]),
    'function',
  ],
  ['pseudo-language: zeros', () => pseudoLocalize(ZEROS), `[${ZEROS}]`],
  ['machine translation: zeros', () => translate(ZEROS), `[${ZEROS}]`],
  ['machine translation: tags', () => translate('<'.repeat(MANY)), `[${'<'.repeat(MANY)}]`],
  ['machine translation: open references', () => translate('$t('.repeat(MANY)).length, 3 * MANY + 2],
])('%s', (_, act, expected) => {
  expect(act()).toEqual(expected)
})
