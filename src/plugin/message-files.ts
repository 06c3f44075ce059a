/** The end of a build: whether every message file that the output addresses is in the output. */
import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { displayPath } from '../files/patterns.ts'
import { toPosix } from '../shared/paths.ts'

const QUOTE = '\\\\*["\'`]'
const HASHES = `${QUOTE}((?:[0-9a-f]{8}| {8})+)${QUOTE}`

/** Tables of hashes as `output/prebuilt-chunks` writes them, also minified or in a string; none that addresses a server. */
const TABLES = new RegExp(
  [
    `extension:(?<!https?://[^"'\`]*${QUOTE},\\s*extension:)\\s*${QUOTE}\\.m?js${QUOTE},\\s*hashes:\\s*${HASHES}`,
    `hashes:\\s*${HASHES},\\s*queue:`,
    `perChunkHashes:\\s*${HASHES},\\s*isPerChunkIndexed:`,
  ].join('|'),
  'g',
)

const SCRIPT = /\.[cm]?jsx?$/
const MESSAGE_FILE = /(?:^|\/)localization\/.*\.([0-9a-f]{8})\.m?js$/

/** Other plugins may keep a compressed file alone, for servers that send it under the file's own name. */
const COMPRESSED = /\.(?:gz|br|zst)$/

export interface OutputScript {
  readonly name: string
  text(): string
}

export interface BuildOutput {
  /** From where an error names files. */
  readonly root: string
  /** Every file of the output, absolute, with `/`. */
  readonly names: Iterable<string>
  readonly scripts: Iterable<OutputScript>
  /** Message files that this build made for it. */
  readonly made: Iterable<string>
  /** Where the output is written when it is looked at. Files that were copied there are looked up on the disk. */
  readonly folder?: string | undefined
}

export interface MessageFileCheck {
  add(output: BuildOutput): void
  /** After the last output: several may share a folder, and the files. Errors: MESSAGE_FILE_MISSING. */
  finish(): void
}

/** A script that addresses message files. */
interface Wanted {
  readonly root: string
  readonly script: string
  readonly made: readonly string[]
  readonly tables: readonly string[]
}

export function isScript(name: string): boolean {
  return SCRIPT.test(name) && !MESSAGE_FILE.test(name)
}

export function createMessageFileCheck(): MessageFileCheck {
  const names = new Set<string>()
  const hashes = new Set<string>()
  const folders = new Set<string>()
  const wanted: Wanted[] = []
  const note = (given: string) => {
    const name = given.replace(COMPRESSED, '')
    names.add(name)
    const hash = MESSAGE_FILE.exec(name)?.[1]
    if (hash !== undefined) hashes.add(hash)
  }
  const missingFiles = () =>
    wanted.flatMap(({ root, script, made, tables }) => {
      const files = made.filter((name) => !names.has(name))
      const unknown = tables
        .flatMap((table) => table.match(/.{8}/g) ?? [])
        .filter((hash) => hash !== ' '.repeat(8) && !hashes.has(hash))
        .filter((hash) => files.every((file) => !file.includes(`.${hash}.`)))
        .map((hash) => `localization/**/*.${hash}.js`)
      const known = files.map((file) => displayPath(root, file))
      return [...known, ...unknown].map((file) => ({ script: displayPath(root, script), file }))
    })
  return {
    add(output) {
      for (const name of output.names) note(name)
      if (output.folder !== undefined) folders.add(output.folder)
      const made = [...output.made]
      for (const { name, text } of output.scripts) {
        const tables = tablesIn(text())
        if (tables.length > 0) wanted.push({ root: output.root, script: name, made, tables })
      }
    },
    finish() {
      if (missingFiles().length > 0) for (const folder of folders) for (const name of filesIn(folder)) note(name)
      const missing = missingFiles()
      for (const found of [names, hashes, folders]) found.clear()
      wanted.length = 0
      const files = [...new Set(missing.map(({ file }) => file))]
      if (missing[0]) throw missingError(missing[0].script, files)
    },
  }
}

/** For bundlers that have their whole output at once. */
export function checkMessageFiles(output: BuildOutput): void {
  const check = createMessageFileCheck()
  check.add(output)
  check.finish()
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { encoding: 'utf8', recursive: true }).map((name) => toPosix(posix.join(folder, name)))
}

function tablesIn(code: string): string[] {
  if (!code.includes('ashes')) return []
  return [...code.matchAll(TABLES)].map((match) => match.slice(1).find((table) => table !== undefined) ?? '')
}

const SHOWN = 3

function missingError(script: string, files: readonly string[]): LocalizationError {
  const shown = files.slice(0, SHOWN).join(', ')
  const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : ''
  const what = files.length === 1 ? 'a message file that is' : `${files.length} message files that are`
  return new LocalizationError(`${script} loads ${what} not in the output: ${shown}${more}`, {
    code: 'MESSAGE_FILE_MISSING',
    hint:
      'Another plugin has removed or renamed files below localization/, or the script is of another build: delete ' +
      "the bundler's cache and build again.",
  })
}
