/** A catalog as bytes: a line that says what is where, then the texts of each part, mostly as the modules that a page fetches. */
import * as z from 'zod'
import { type Catalog, createCatalog, type LazyTexts, type PartInput } from '../catalog/model.ts'
import { lazyModule, moduleOf } from '../catalog/text-module.ts'
import { packCatalog } from './packed.ts'

const partSchema = z.object({
  language: z.string(),
  namespace: z.string(),
  customer: z.string().optional(),
  /** Bytes of its texts. */
  length: z.number().int().min(0),
  /** Absent: pairs, not a module. `__proto__` is a key like any other. */
  module: z.object({ hash: z.string(), count: z.number().int(), keys: z.number().int() }).optional(),
})

const indexSchema = z.object({
  languages: z.array(z.object({ key: z.string(), name: z.string(), isDefault: z.boolean() })),
  keyLists: z.array(z.array(z.string())),
  parts: z.array(partSchema),
})
type Index = z.infer<typeof indexSchema>

const pairsSchema = z.array(z.tuple([z.string(), z.string()]))

export function writeStoredCatalog(catalog: Catalog): Buffer {
  const isPacked = catalog.parts.some(({ lazy }) => lazy?.module)
  const { languages, parts } = isPacked ? catalog : packCatalog(catalog)
  const lists = new Map<readonly string[], number>()
  const bodies: Buffer[] = []
  const index: Index = { languages: [...languages], keyLists: [], parts: [] }
  for (const part of parts) {
    const { language, namespace, customer, lazy } = part
    const names = { language, namespace, ...(customer !== undefined && { customer }) }
    if (lazy?.module && lazy.keys) {
      const keys = lists.get(lazy.keys) ?? lists.size
      lists.set(lazy.keys, keys)
      bodies.push(lazy.module.bytes)
      const module = { hash: lazy.module.hash, count: lazy.count, keys }
      index.parts.push({ ...names, length: lazy.module.size, module })
    } else {
      const body = Buffer.from(JSON.stringify([...part.messages]))
      bodies.push(body)
      index.parts.push({ ...names, length: body.length })
    }
  }
  index.keyLists.push(...[...lists.keys()].map((keys) => [...keys]))
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...bodies])
}

/**
 * The inverse. Throws where the bytes are something else.
 *
 * @param asModules texts stay modules, without the gaps
 */
export function readStoredCatalog(bytes: Buffer, { asModules }: { readonly asModules: boolean }): Catalog {
  const end = bytes.indexOf('\n')
  const { languages, keyLists, parts } = indexSchema.parse(JSON.parse(bytes.toString('utf8', 0, Math.max(0, end))))
  let offset = end + 1
  const read = parts.map(({ length, module, ...names }): PartInput => {
    const body = bytes.subarray(offset, offset + length)
    offset += length
    if (!module) return { ...names, messages: pairsSchema.parse(JSON.parse(body.toString('utf8'))) }
    const keys = keyLists[module.keys]
    if (!keys) throw new Error('its lists of keys are not whole')
    const lazy = lazyModule(moduleOf(body, module.hash), keys, module.count)
    return asModules ? { ...names, lazy } : { ...names, messages: withGaps(lazy, keys) }
  })
  if (offset !== bytes.length) throw new Error('its texts are not whole')
  return createCatalog({ languages, parts: read })
}

function withGaps(lazy: LazyTexts, keys: readonly string[]): (readonly [string, string])[] {
  const texts = lazy.plain()
  return keys.map((key) => [key, (Object.hasOwn(texts, key) ? texts[key] : undefined) ?? ''] as const)
}
