/** The JSON of messages straight from their layers: what most namespaces need, at a fraction of the cost of a resolved map. */
import { compareCodeUnits, type PlainTexts } from '../catalog/model.ts'
import { isSameList } from '../catalog/text-module.ts'

/** Keys in order, texts that count: the same bytes as `messagesJson` of the resolved messages. */
export type LayeredJson = (layers: readonly PlainTexts[]) => string

/** Remembers the keys of its last call: the languages of a namespace mostly have the same ones. */
export function createLayeredJson(): LayeredJson {
  let lastKeys: readonly string[] = []
  let sorted: readonly string[] = []
  let quoted: readonly string[] = []
  return (layers) => {
    const keys = unionOfKeys(layers)
    if (!isSameList(keys, lastKeys)) {
      lastKeys = keys
      sorted = [...keys].sort(compareCodeUnits)
      quoted = sorted.map((key) => `${JSON.stringify(key)}:`)
    }
    let json = '{'
    for (let i = 0; i < sorted.length; i++) {
      const text = textOf(layers, sorted[i] as string)
      if (text !== undefined) json += `${json === '{' ? '' : ','}${quoted[i]}${JSON.stringify(text)}`
    }
    return `${json}}`
  }
}

function textOf(layers: readonly PlainTexts[], key: string): string | undefined {
  for (const layer of layers) {
    const text = layer[key]
    // An inherited member is no string.
    if (typeof text === 'string' && text !== '') return text
  }
  return undefined
}

function unionOfKeys([first = {}, ...others]: readonly PlainTexts[]): readonly string[] {
  const keys = Object.keys(first)
  let union: Set<string> | undefined
  for (const other of others) {
    const more = Object.keys(other)
    if (!union && isSameList(keys, more)) continue
    union ??= new Set(keys)
    for (const key of more) union.add(key)
  }
  return union ? [...union] : keys
}
