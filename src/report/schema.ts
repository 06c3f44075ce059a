/** What a report of a build holds. */
import * as z from 'zod'

const bytes = z.number().int()

const chunkReport = z.object({
  /** The path of its first module from the root. */
  name: z.string(),
  /** `lazy`: an `import()` loads it. */
  kind: z.enum(['entry', 'lazy']),
  /** Of an entry: the keys that its code uses. Of a lazy chunk: those of them that no entry has. */
  keys: z.number().int(),
  /** How many of the keys other entries use too, or come with other lazy chunks too. */
  shared: z.number().int(),
  /** Keys that only other entries use, in the same files. */
  others: z.number().int(),
  /** What a page fetches with it, in the language where that is most. */
  bytes,
  language: z.string(),
  /** The same in each language. */
  byLanguage: z.record(z.string(), bytes),
  /** The namespaces in that language, the largest first. */
  namespaces: z.array(z.object({ namespace: z.string(), bytes })),
})
export type ChunkReport = z.infer<typeof chunkReport>

const reason = {
  /** A `ReasonKind`, or `array`: another element of its array is used. */
  reason: z.string(),
  /** The key, pattern or text as the code has it, the code of the call, the reference, or the pattern of `keep`. */
  by: z.string().optional(),
  /** File, line and column. */
  at: z.string().optional(),
}

const keptKey = z.object({
  namespace: z.string(),
  key: z.string(),
  ...reason,
  /** Of key and text, in the report's `language`. */
  bytes,
  /** The chunks that it comes with: places in `chunks`. With a reason where that is another one there. */
  in: z.array(z.object({ chunk: z.number().int(), ...z.object(reason).partial().shape })).optional(),
})
export type KeptKey = z.infer<typeof keptKey>
export type KeptReason = Pick<KeptKey, keyof typeof reason>

/** The part of the report that tells which texts come with which code. */
export const codeReport = z.object({
  version: z.literal(1),
  /** The one with the most bytes. */
  language: z.string().optional(),
  kept: z.array(keptKey).optional(),
  chunks: z.array(chunkReport).optional(),
})
export type CodeReport = z.infer<typeof codeReport>
