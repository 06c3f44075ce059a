/** The settings that editors' extensions for translations read. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalizationError, messageOf } from '../../errors.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns } from '../../files/patterns.ts'
import { type FileEnding, fileEnding } from '../../shared/file-endings.ts'

export const EDITORS = ['i18n-ally', 'sherlock'] as const
export type EditorName = (typeof EDITORS)[number]

export interface EditorFile {
  /** Relative to the root. */
  readonly path: string
  readonly content: string
}

export interface EditorFilesInput {
  readonly root: string
  /** As in the option `files`; the first pattern without a customer counts. */
  readonly patterns: readonly string[]
  readonly defaultNamespace: string
  readonly defaultLanguage: string | undefined
}

interface ProjectFiles {
  readonly pattern: string
  readonly defaultLanguage: string
  readonly languages: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
}

const SETTINGS: Readonly<Record<EditorName, { path: string; entries: (files: ProjectFiles) => object }>> = {
  'i18n-ally': { path: '.vscode/settings.json', entries: i18nAlly },
  sherlock: { path: 'project.inlang/settings.json', entries: sherlock },
}

/** Existing files keep their other entries. Errors: FILE_SYNTAX for one that cannot be read as JSON. */
export async function editorFiles(
  editors: readonly EditorName[],
  { root, patterns, defaultNamespace, defaultLanguage = 'en' }: EditorFilesInput,
): Promise<EditorFile[]> {
  if (editors.length === 0) return []
  const pattern = patterns.find((one) => !one.includes('{customer}')) ?? ''
  const { files } = await listTranslationFiles(createFilePatterns({ root, files: [{ pattern }], defaultNamespace }))
  const languages = new Set(files.map(({ language }) => language).sort())
  const namespaces = new Set(files.map(({ namespace }) => namespace).sort())
  const made = [...new Set(editors)].map(async (editor) => {
    const { path, entries } = SETTINGS[editor]
    const before = await readObject(root, path)
    const settings = { ...before, ...entries({ pattern, defaultLanguage, languages, namespaces }) }
    return { path, content: `${JSON.stringify(settings, null, 2)}\n` }
  })
  return Promise.all(made)
}

const I18N_ALLY_PARSERS: Readonly<Record<FileEnding, string>> = {
  '.json': 'json',
  '.jsonc': 'json',
  '.json5': 'json5',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

/** Its paths are relative to the folder of the locales; `{namespaces}` may span folders. */
function i18nAlly({ pattern, defaultLanguage }: ProjectFiles): object {
  const [, folder = '', rest = ''] = /^([^{]*\/)?(.*)$/.exec(pattern) ?? []
  return {
    'i18n-ally.localesPaths': [folder === '' ? '.' : folder.slice(0, -1)],
    'i18n-ally.pathMatcher': rest.replaceAll('{language}', '{locale}').replaceAll('{namespace}', '{namespaces}'),
    'i18n-ally.namespace': pattern.includes('{namespace}'),
    'i18n-ally.enabledParsers': [I18N_ALLY_PARSERS[fileEnding(pattern) ?? '.json']],
    'i18n-ally.sourceLanguage': defaultLanguage,
  }
}

function sherlock({ pattern, defaultLanguage, languages, namespaces }: ProjectFiles): object {
  if (fileEnding(pattern) !== '.json') {
    throw new LocalizationError(`Sherlock cannot read ${pattern}`, {
      code: 'CONFIG_INVALID',
      hint: 'It reads files that end in .json only. i18n Ally reads JSON5 and YAML too.',
    })
  }
  const path = `./${pattern.replaceAll('{language}', '{locale}')}`
  const byNamespace = [...namespaces].map((name) => [name, path.replaceAll('{namespace}', name)])
  const pathPattern = pattern.includes('{namespace}') ? Object.fromEntries(byNamespace) : path
  return {
    $schema: 'https://inlang.com/schema/project-settings',
    baseLocale: defaultLanguage,
    locales: [...new Set([defaultLanguage, ...languages])],
    modules: ['https://cdn.jsdelivr.net/npm/@inlang/plugin-i18next@6/dist/index.js'],
    'plugin.inlang.i18next': { pathPattern },
  }
}

async function readObject(root: string, path: string): Promise<object> {
  const text = await readFile(join(root, path), 'utf8').catch(() => '{}')
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
