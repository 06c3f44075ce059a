/** The settings that editors' extensions for translations read, made from where the project's files are. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalizationError, messageOf } from '../errors.ts'
import { listTranslationFiles } from '../files/list.ts'
import { createFilePatterns } from '../files/patterns.ts'

export const EDITORS = ['i18n-ally', 'sherlock'] as const
export type EditorName = (typeof EDITORS)[number]

export interface EditorFile {
  /** Relative to the root. */
  readonly path: string
  readonly content: string
}

export interface EditorFilesInput {
  readonly root: string
  /** As in the option `files`; the first pattern that has no customer counts. */
  readonly patterns: readonly string[]
  readonly defaultNamespace: string
  readonly defaultLanguage: string
}

/** What a file holds already stays, but for the entries that are ours. Errors: FILE_SYNTAX where it cannot be read as JSON. */
export async function editorFiles(editors: readonly EditorName[], input: EditorFilesInput): Promise<EditorFile[]> {
  const pattern = input.patterns.find((one) => !one.includes('{customer}')) ?? ''
  const { root, defaultNamespace } = input
  const { files } = await listTranslationFiles(createFilePatterns({ root, patterns: [pattern], defaultNamespace }))
  const languages = [...new Set(files.map(({ language }) => language))].sort()
  const namespaces = [...new Set(files.map(({ namespace }) => namespace))].sort()
  const made: EditorFile[] = []
  for (const editor of new Set(editors)) {
    const [path, entries] =
      editor === 'i18n-ally'
        ? ['.vscode/settings.json', i18nAlly(pattern, input.defaultLanguage)]
        : ['project.inlang/settings.json', sherlock(pattern, languages, namespaces, input.defaultLanguage)]
    const before = await readObject(root, path)
    made.push({ path, content: `${JSON.stringify({ ...before, ...entries }, null, 2)}\n` })
  }
  return made
}

/** Its paths are relative to the folder of the locales; `{namespaces}` may span folders. */
function i18nAlly(pattern: string, defaultLanguage: string) {
  const cut = pattern.slice(0, pattern.indexOf('{')).lastIndexOf('/') + 1
  const rest = pattern.slice(cut)
  return {
    'i18n-ally.localesPaths': [cut === 0 ? '.' : pattern.slice(0, cut - 1)],
    'i18n-ally.pathMatcher': rest.replaceAll('{language}', '{locale}').replaceAll('{namespace}', '{namespaces}'),
    'i18n-ally.namespace': pattern.includes('{namespace}'),
    'i18n-ally.enabledParsers': ['json'],
    'i18n-ally.sourceLanguage': defaultLanguage,
  }
}

function sherlock(
  pattern: string,
  languages: readonly string[],
  namespaces: readonly string[],
  defaultLanguage: string,
) {
  const path = `./${pattern.replaceAll('{language}', '{locale}')}`
  const byNamespace = namespaces.map((name) => [name, path.replaceAll('{namespace}', name)] as const)
  return {
    $schema: 'https://inlang.com/schema/project-settings',
    baseLocale: defaultLanguage,
    locales: [...new Set([defaultLanguage, ...languages])],
    modules: ['https://cdn.jsdelivr.net/npm/@inlang/plugin-i18next@6/dist/index.js'],
    'plugin.inlang.i18next': {
      pathPattern: pattern.includes('{namespace}') ? Object.fromEntries(byNamespace) : path,
    },
  }
}

async function readObject(root: string, path: string): Promise<object> {
  let text: string
  try {
    text = await readFile(join(root, path), 'utf8')
  } catch {
    return {}
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw new TypeError('it holds no object')
  } catch (error) {
    throw new LocalizationError(`cannot add to it: ${messageOf(error)}`, {
      code: 'FILE_SYNTAX',
      place: { file: path },
      hint: 'Comments are not understood here: put the entries there by hand; --dry-run in an empty folder shows them.',
      cause: error,
    })
  }
}
