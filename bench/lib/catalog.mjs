/**
 * Catalogs made by a seed: texts of 5 to 80 characters with placeholders, plurals, CJK, Arabic and emoji. Same seed,
 * same texts.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRandom } from './stats.mjs'

const WORDS =
  'account order cart total delivery address change remove save search filter member invoice payment open close retry weather forecast station message inbox draft publish language region summer winter please confirm cancel without between after before'.split(
    ' ',
  )
const CJK = ['設定', '保存する', '注文の確認', '帐户', '搜索结果', '删除项目', '배송 주소', '다시 시도']
const ARABIC = ['حفظ', 'إلغاء الطلب', 'البحث في الرسائل', 'عنوان التسليم']
const SPECIAL = ['{count, plural, one {# item} other {# items}}', 'Hello {name}!', '🎉 {value, number}', '50 % – “ok”']
/** What every library's syntax understands the same way, for texts that several of them are given. */
const ARGUMENTS = ['Hello {name}!', '{count} items in {name}', '🎉 {value}', '50 % – “ok”']

/** The sizes of PERFORMANCE.md, and one that runs in a moment. */
export const SIZES = {
  tiny: { languages: 3, namespaces: 3, keys: 20 },
  small: { languages: 2, namespaces: 5, keys: 100 },
  M: { languages: 20, namespaces: 20, keys: 250 },
  L: { languages: 40, namespaces: 50, keys: 500 },
}

/**
 * How keys are spelled: bundlers make a named export of each that is an identifier. `nested`, `arrays`: see
 * `writeLocales`.
 */
const KEYS = {
  dotted: (a, b, i) => `${a}.${b}.key${i}`,
  nested: (a, b, i) => `${a}.${b}.key${i}`,
  arrays: (a, b, i) => `${a}.${b}.key${i}`,
  identifiers: (a, b, i) => `${a}${b[0].toUpperCase()}${b.slice(1)}${i}`,
}

/** `en`, then two- and three-letter codes. */
export function languageNames(count) {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  return Array.from({ length: count }, (_, i) => (i === 0 ? 'en' : `q${letters[Math.floor(i / 26)]}${letters[i % 26]}`))
}

export const namespaceNames = (count) =>
  Array.from({ length: count }, (_, i) => (i === 0 ? 'common' : `views/part${i}`))

/** One language's texts of one namespace. */
export function messagesOf(size, languageIndex, namespaceIndex) {
  const random = createRandom(languageIndex * 1_000 + namespaceIndex + 1)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const special = size.hasArgumentsOnly ? ARGUMENTS : SPECIAL
  const messages = {}
  for (let i = 0; i < size.keys; i++) {
    const pieces = []
    const length = 5 + random() * 75
    for (let sum = 0; sum < length; ) {
      const kind = random()
      const piece = kind < 0.8 ? pick(WORDS) : kind < 0.88 ? pick(CJK) : kind < 0.94 ? pick(ARABIC) : pick(special)
      pieces.push(piece)
      sum += piece.length + 1
    }
    messages[KEYS[size.spelling ?? 'dotted'](pick(WORDS), pick(WORDS), i)] = pieces.join(' ')
  }
  return messages
}

/** Every namespace with its texts by language, one at a time: the keys are the same in all languages. */
export function* namespacesOf(size) {
  const languages = languageNames(size.languages)
  for (const [index, namespace] of namespaceNames(size.namespaces).entries()) {
    const keys = Object.keys(messagesOf(size, 0, index))
    const texts = {}
    for (const [at, language] of languages.entries()) {
      const values = Object.values(messagesOf(size, at, index))
      texts[language] = Object.fromEntries(keys.map((key, i) => [key, values[i]]))
    }
    yield { namespace, texts }
  }
}

export const textCount = ({ languages, namespaces, keys }) => languages * namespaces * keys

/**
 * `locales/<language>/<namespace>.json` below a folder. With the spelling `nested`, dots in keys lead into objects. With
 * `arrays`, texts whose keys begin with the same word are one array.
 */
export function writeLocales(folder, size) {
  for (const { namespace, texts } of namespacesOf(size)) {
    for (const [language, messages] of Object.entries(texts)) {
      const path = join(folder, 'locales', language, `${namespace}.json`)
      mkdirSync(dirname(path), { recursive: true })
      const content = size.spelling === 'nested' ? nest : size.spelling === 'arrays' ? gather : (given) => given
      writeFileSync(path, `${JSON.stringify(content(messages), null, 2)}\n`)
    }
  }
}

function nest(messages) {
  const tree = {}
  for (const [key, text] of Object.entries(messages)) {
    const names = key.split('.')
    const last = names.pop()
    let branch = tree
    for (const name of names) {
      branch[name] ??= {}
      branch = branch[name]
    }
    branch[last] = text
  }
  return tree
}

function gather(messages) {
  const arrays = {}
  for (const [key, text] of Object.entries(messages)) {
    const [name] = key.split('.')
    arrays[name] = [...(arrays[name] ?? []), text]
  }
  return arrays
}

/** The keys and texts of a file's content, with dots between the names of nested objects. Arrays stay whole. */
export function flatten(content, prefix = '') {
  const texts = {}
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || Array.isArray(value)) texts[`${prefix}${name}`] = value
    else Object.assign(texts, flatten(value, `${prefix}${name}.`))
  }
  return texts
}
