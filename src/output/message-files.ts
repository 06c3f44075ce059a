/** Finds the addresses of prebuilt chunks in built scripts, and the chunks among built files. */

const QUOTE = '\\\\*["\'`]'
const HASHES = `${QUOTE}((?:[0-9a-f]{8}| {8})+)${QUOTE}`

/** Lists of hashes in the form above, even if minified or in a string, except lists whose base is on a server. */
const HASH_LISTS = new RegExp(
  `extension:(?<!https?://[^"'\`]*${QUOTE},\\s*extension:)\\s*${QUOTE}\\.m?js${QUOTE},\\s*hashes:\\s*${HASHES}` +
    `|hashes:\\s*${HASHES},\\s*queue:`,
  'g',
)

/** The hashes of the message files that a script addresses. */
export function hashesIn(code: string): string[] {
  // Faster than the expression, and most scripts do not contain hashes.
  if (!code.includes('hashes')) return []
  const lists = [...code.matchAll(HASH_LISTS)].map(([, plain, perChunk]) => plain ?? perChunk ?? '')
  return lists.flatMap((list) => list.match(/[0-9a-f]{8}/g) ?? [])
}

/** The name of a prebuilt chunk in an output, and its hash. */
export const MESSAGE_FILE = /(?:^|\/)localization\/.*\.([0-9a-f]{8})\.m?js$/
