/** What the app's source files show: the texts in quotes, and whether they import the virtual modules. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { walkFiles } from '../../shared/walk.ts'

export interface Sources {
  readonly importsTexts: boolean
  /** Everything between two quotation marks: keys, among much else. */
  readonly quoted: ReadonlySet<string>
  /** The option `defaultNS` of i18next. */
  readonly defaultNamespace: string | undefined
  /** A call of i18next takes the object below a key. */
  readonly takesObjects: boolean
}

export const MODULE_ID = 'virtual:translations'
export const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'target', 'vendor'])
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|astro)$/
const MOST_FILES = 3000

export async function readSources(root: string): Promise<Sources> {
  const quoted = new Set<string>()
  let importsTexts = false
  let takesObjects = false
  let defaultNamespace: string | undefined
  let seen = 0
  for await (const path of walkFiles(root, { skipped: SKIPPED, maxDepth: 7, ignoresUnreadable: true })) {
    if (!SOURCE.test(path) || path.endsWith('.d.ts')) continue
    if (++seen > MOST_FILES) break
    const text = await readFile(join(root, path), 'utf8').catch(() => '')
    importsTexts ||= text.includes(MODULE_ID) || /['"]#translations(?:\/[^'"]*)?['"]/.test(text)
    takesObjects ||= text.includes('returnObjects')
    defaultNamespace ??= /\bdefaultNS:\s*['"]([^'"]+)['"]/.exec(text)?.[1]
    for (const piece of text.split(/['"`\n]/)) if (piece.length < 200) quoted.add(piece)
  }
  return { importsTexts, quoted, defaultNamespace, takesObjects }
}
