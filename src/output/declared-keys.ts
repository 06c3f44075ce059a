/**
 * The keys in a generated declaration. In editors, a comment on each key shows its text, and a declaration map lets "Go
 * to Definition" open the key's line in the translation file.
 */
import { basename, dirname, relative } from 'node:path'
import { encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { toPosix } from '../shared/paths.ts'

/** A key in a declaration. Lines and columns start at 0, as in source maps. */
export interface DeclaredKey {
  readonly namespace: string
  readonly key: string
  readonly line: number
  /** The columns where the key's name starts and ends, and where the line ends. */
  readonly columns: readonly number[]
}

/** If there are more keys than this, the declaration has no comments, which would make it many times larger. */
const MOST_KEYS_WITH_TEXT = 3_000

/** Marks the end of a line. It never occurs elsewhere in a declaration, because `stringLiteral` escapes it. */
const MARK = '\0'

/** Marks the lines that declare keys while a declaration is generated, and then finds the positions of these keys. */
export class KeyMarks {
  readonly #translations: Translations
  readonly #keySeparator: string
  readonly #other: string | undefined
  readonly #hasTexts: boolean
  readonly #keys: { readonly namespace: string; readonly key: string }[] = []

  constructor(translations: Translations, { keySeparator, pseudo }: Pick<ResolvedConfig, 'keySeparator' | 'pseudo'>) {
    this.#translations = translations
    this.#keySeparator = keySeparator
    const { languages, defaultLanguage, namespaces } = translations
    // Comments do not show the pseudo-language.
    this.#other = languages.map(({ key }) => key).find((key) => key !== defaultLanguage && key !== pseudo)
    const count = namespaces.reduce((sum, namespace) => sum + translations.defaultMessages(namespace).size, 0)
    this.#hasTexts = count <= MOST_KEYS_WITH_TEXT
  }

  /** Returns the notes for printing a namespace's tree of types. */
  of(namespace: string) {
    const own = this.#translations.defaultMessages(namespace)
    return {
      hasComments: this.#hasTexts,
      /**
       * Called with the path of each text. Returns the comment before the text's property, and the end of the
       * property's line.
       */
      annotate: (path: readonly string[]) => {
        const key = path.join(this.#keySeparator)
        const end = `${MARK}${this.#keys.length}`
        this.#keys.push({ namespace, key })
        const text = this.#hasTexts ? own.get(key) : undefined
        return { comment: text === undefined ? [] : this.#comment(namespace, key, text), end }
      },
    }
  }

  /** Removes the marks, and returns the positions of the keys. */
  finish(marked: string): { readonly content: string; readonly keys: readonly DeclaredKey[] } {
    const keys: DeclaredKey[] = []
    const lines = marked.split('\n').map((text, line) => {
      const [plain = '', index] = text.split(MARK)
      const name = index === undefined ? undefined : this.#keys[Number(index)]
      if (name) keys.push({ ...name, line, columns: columnsOf(plain) })
      return plain
    })
    return { content: lines.join('\n'), keys }
  }

  #comment(namespace: string, key: string, text: string): string[] {
    const other = this.#other
    const translated = other === undefined ? undefined : this.#translations.messages(other, namespace).get(key)
    if (translated === undefined || translated === text) return [`/** ${codeSpan(text)} */`]
    return ['/**', ` * ${codeSpan(text)}`, ' *', ` * ${other}: ${codeSpan(translated)}`, ' */']
  }
}

/** Matches a property's indentation and its name, as written by `stringLiteral`. */
const NAME = /^( *(?:readonly )?)'(?:[^'\\]|\\.)*'/

function columnsOf(line: string): number[] {
  const [name = '', indent = ''] = NAME.exec(line) ?? []
  return [indent.length, name.length, line.length]
}

const MOST_TEXT = 200

/** Replaces lone surrogates, which cannot be written to a file. */
const wellFormed = (text: string) => Buffer.from(text).toString()

/** Returns a text as Markdown code, so that markup and JSDoc tags in it have no effect. */
function codeSpan(text: string): string {
  const line = wellFormed(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const short = line.length > MOST_TEXT ? `${Array.from(line.slice(0, MOST_TEXT)).slice(0, -1).join('')}…` : line
  const runs = short.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  const space = runs.length > 0 ? ' ' : ''
  return `${fence}${space}${short.replaceAll('*/', '*\\/')}${space}${fence}`
}

export const declarationMapPath = (path: string) => `${path}.map`

export const declarationMapLine = (path: string) => `//# sourceMappingURL=${basename(declarationMapPath(path))}`

/**
 * Returns a file's declaration map, or `undefined` if none of its keys is in a translation file. The same positions
 * always produce the same bytes.
 */
export function generateDeclarationMap(
  path: string,
  keys: readonly DeclaredKey[],
  placeOf: (
    namespace: string,
    key: string,
  ) => { readonly path: string; readonly line: number; readonly column: number } | undefined,
): string | undefined {
  const sources = new Map<string, number>()
  const mappings: SourceMapMappings = []
  for (const { namespace, key, line, columns } of keys) {
    const place = placeOf(namespace, key)
    if (!place) continue
    const source = sources.get(place.path) ?? sources.size
    sources.set(place.path, source)
    while (mappings.length <= line) mappings.push([])
    // A name's start, its end and the end of its line all map to the key, because TypeScript also looks up the ends of
    // names and declarations. It would otherwise use the next position that it finds.
    for (const column of columns) mappings[line]?.push([column, source, place.line - 1, place.column - 1])
  }
  if (sources.size === 0) return undefined
  const from = dirname(path)
  return JSON.stringify({
    version: 3,
    file: basename(path),
    sources: [...sources.keys()].map((source) =>
      toPosix(relative(from, source)).split('/').map(encodeURIComponent).join('/'),
    ),
    names: [],
    mappings: encode(mappings),
  })
}
