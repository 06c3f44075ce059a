/** Patterns such as `locales/{language}/{namespace}.json`, which map paths to parts and back. */

import { resolve } from 'node:path'
import { appLanguage, nameFilter, relevantLanguages, serviceLanguage } from '../catalog/names.ts'
import { type PartRef, partId } from '../catalog/text-id.ts'
import type { FilePattern, ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import {
  type FileEnding,
  fileEnding,
  type PatternToken,
  type PlaceholderName,
  parseFilePattern,
  parseFileRoot,
} from '../shared/file-pattern.ts'
import { decodeSegment, displayPath, encodeSegment, isInside, normalDrive, toPosix } from '../shared/paths.ts'
import type { WrapperPath } from './texts-root.ts'

/** A file, with the decoded names that identify its texts. `customer` is set if the pattern has `{customer}`. */
export interface TranslationFile extends PartRef {
  /** The absolute path. */
  readonly path: string
  readonly pattern: string
  /** The language as spelled in the path, which may be a key in `languageMap`. */
  readonly languageInPath: string
  /** The possible paths of the object that contains the texts; `undefined` if that is the whole file. */
  readonly wrappers?: readonly WrapperPath[]
}

export interface FilePatterns {
  readonly root: string
  /** The absolute paths of the folders to watch. None is inside another. They need not exist. */
  readonly bases: readonly string[]
  /** The file at a path, which is absolute or relative to the root; `undefined` if it is not a translation file. */
  match(path: string): TranslationFile | undefined
  /**
   * The absolute path for a part, from the first pattern that covers it; `undefined` if none does. Always inside the
   * pattern's folder. `languageInPath` is the spelling of the language. Default: the app's spelling.
   */
  pathOf(part: PartRef, languageInPath?: string): string | undefined
  readonly compiled: readonly CompiledPattern[]
}

export interface CompiledPattern {
  readonly pattern: string
  /** The absolute path of the folder before the first placeholder. */
  readonly base: string
  /** The number of folder levels below `base`; infinite if the pattern has `{namespace}`. */
  readonly depth: number
  /** The folders named in the pattern that are otherwise skipped: `node_modules` and dot folders. */
  readonly namedFolders: ReadonlySet<string>
  readonly ending: FileEnding
  match(absolute: string): (PartRef & Pick<TranslationFile, 'languageInPath' | 'wrappers'>) | undefined
  fill(part: PartRef, languageInPath?: string): string | undefined
  /** True if the path matches, but the file is an index of languages or a minified copy. */
  isLeftOut(absolute: string): boolean
}

/** Compiles patterns. The first pattern that matches a file applies. Throws FILE_PATTERN. */
export function createFilePatterns(
  config: Pick<ResolvedConfig, 'root' | 'files' | 'defaultNamespace'> & Partial<Pick<ResolvedConfig, 'languageMap'>>,
): FilePatterns {
  const { root, files } = config
  const compiled = files.map((file) => compilePattern(file, config))
  return {
    root,
    compiled,
    bases: outermost(compiled.map(({ base }) => base)),
    match(given) {
      const path = normalDrive(resolve(root, given))
      for (const { pattern, match } of compiled) {
        const part = match(path)
        if (part) return { ...part, path, pattern }
      }
      return undefined
    },
    pathOf(part, languageInPath) {
      for (const { fill } of compiled) {
        const path = fill(part, languageInPath)
        if (path !== undefined) return path
      }
      return undefined
    },
  }
}

function compilePattern(
  { pattern, root: wrapper }: FilePattern,
  { root, defaultNamespace, languageMap = {} }: Parameters<typeof createFilePatterns>[0],
): CompiledPattern {
  const parsed = parseFilePattern(pattern)
  const wrapperNames = wrapper === undefined ? undefined : parseFileRoot(wrapper, pattern)
  const problem = [parsed, wrapperNames].find((result) => typeof result === 'string')
  if (typeof parsed === 'string' || typeof wrapperNames === 'string') {
    throw new LocalizationError(`the file pattern ${JSON.stringify(pattern)} cannot be used: ${problem}`, {
      code: 'FILE_PATTERN',
    })
  }
  const [first, ...others] = parsed
  const lead = first?.kind === 'text' ? first.text : ''
  const folderEnd = lead.lastIndexOf('/') + 1
  const base = normalDrive(resolve(root, lead.slice(0, folderEnd) || '.'))
  const rest: PatternToken[] = lead === '' ? [...parsed] : [{ kind: 'text', text: lead.slice(folderEnd) }, ...others]
  const has = (name: PlaceholderName) => rest.some((token) => token.kind === 'placeholder' && token.name === name)
  const [hasNamespace, hasCustomer] = [has('namespace'), has('customer')]
  const literal = rest.map((token) => (token.kind === 'text' ? token.text : '')).join('')
  const expression = matcher(rest)
  const ending = fileEnding(pattern) ?? '.json'
  const prefix = toPosix(base).replace(/\/?$/, '/')

  const read = (absolute: string) => {
    const path = toPosix(absolute)
    const groups = path.startsWith(prefix) ? expression.exec(path.slice(prefix.length))?.groups : undefined
    const isMinified = path.endsWith(`.min${ending}`) && !pattern.endsWith(`.min${ending}`)
    return { groups, isLeftOut: groups?.language === 'index' || isMinified }
  }

  const match: CompiledPattern['match'] = (absolute) => {
    const { groups, isLeftOut } = read(absolute)
    if (groups?.language === undefined || isLeftOut) return undefined
    const languageInPath = decodeSegment(groups.language)
    const language = appLanguage(languageInPath, { languageMap })
    const part = {
      language,
      languageInPath,
      namespace: hasNamespace ? (groups.namespace ?? '').split('/').map(decodeSegment).join('/') : defaultNamespace,
      ...(hasCustomer && { customer: decodeSegment(groups.customer ?? '') }),
    }
    if (!wrapperNames) return part
    const spellings = new Set([languageInPath, language, serviceLanguage(language, { languageMap })])
    return {
      ...part,
      wrappers: wrapperPaths(
        wrapperNames,
        [...spellings].map((each) => ({ ...part, language: each })),
      ),
    }
  }

  const write = (part: PartRef, language: string, also: string): string => {
    const namespace = () =>
      part.namespace
        .split('/')
        .map((segment) => encodeSegment(segment, also))
        .join('/')
    const values = { language, customer: part.customer ?? '' }
    const name = rest.map((token) => {
      if (token.kind === 'text') return token.text
      return token.name === 'namespace' ? namespace() : encodeSegment(values[token.name], also)
    })
    return resolve(base, name.join(''))
  }

  const fill: CompiledPattern['fill'] = (part, languageInPath = part.language) => {
    if (hasCustomer !== (part.customer !== undefined)) return undefined
    if (!hasNamespace && part.namespace !== defaultNamespace) return undefined
    // `{namespace}.{language}.json` is ambiguous (`x` + `en.US`, `x.en` + `US`), so the characters between placeholders
    // are also encoded.
    for (const also of ['', '.', literal.replace(/[/%A-Za-z0-9]/g, '')]) {
      const path = write(part, languageInPath, also)
      const back = match(path)
      if (back && partId(back) === partId(part) && isInside(base, path) && !/\p{Surrogate}/u.test(path)) return path
    }
    const [quoted, language, namespace] = [pattern, part.language, part.namespace].map((name) => JSON.stringify(name))
    throw new LocalizationError(
      `the file pattern ${quoted} gives no unambiguous file name for language ${language}, namespace ${namespace}`,
      { code: 'FILE_PATTERN', hint: 'Put a "/" between the placeholders.' },
    )
  }

  const named = rest.flatMap((token) => (token.kind === 'text' ? token.text.split('/') : []))
  return {
    pattern,
    base,
    depth: hasNamespace ? Number.POSITIVE_INFINITY : literal.split('/').length - 1,
    ending,
    namedFolders: new Set(named.filter((name) => name.startsWith('.') || name === 'node_modules')),
    match,
    fill,
    isLeftOut(absolute) {
      const { groups, isLeftOut } = read(absolute)
      return groups !== undefined && isLeftOut
    },
  }
}

/**
 * Matches the shortest possible language and the longest possible namespace, so that both `en.a.b.json` and
 * `a.b.en.json` work.
 */
function matcher(tokens: readonly PatternToken[]): RegExp {
  const seen = new Set<string>()
  const source = tokens.map((token) => {
    if (token.kind === 'text') return token.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    if (seen.has(token.name)) return `\\k<${token.name}>`
    seen.add(token.name)
    return token.name === 'namespace' ? '(?<namespace>.+)' : `(?<${token.name}>[^/]+?)`
  })
  return new RegExp(`^${source.join('')}$`, 's')
}

function outermost(folders: readonly string[]): readonly string[] {
  const unique = [...new Set(folders)]
  return unique.filter((folder) => !unique.some((other) => other !== folder && isInside(other, folder)))
}

function wrapperPaths(names: readonly string[], parts: readonly PartRef[]): readonly WrapperPath[] {
  const paths = parts.map((part) =>
    names.map((name) => name.replace(/\{(language|namespace|customer)\}/g, (_, of: PlaceholderName) => part[of] ?? '')),
  )
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()]
}

export function patternNames(files: readonly FilePattern[]): string {
  return files.map(({ pattern }) => pattern).join(', ')
}

/** The searched places, for messages about missing files. */
export function searchedPlaces({ files, root, configFile }: Pick<ResolvedConfig, 'files' | 'root' | 'configFile'>) {
  const read = configFile === undefined ? 'without a configuration file' : `with ${displayPath(root, configFile)}`
  return `${patternNames(files)} in ${root}, ${read}`
}

export function wantedPart(config: ResolvedConfig): (part: PartRef) => boolean {
  const isNamespace = nameFilter(config.namespaces)
  const isLanguage = relevantLanguages(config)
  return ({ language, namespace, customer }) =>
    isLanguage(language) && isNamespace(namespace) && (customer === undefined || config.customers.includes(customer))
}
