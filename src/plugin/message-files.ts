/** The check at the end of a build that the output contains every message file that it addresses. */
import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { hashesIn, MESSAGE_FILE } from '../output/message-files.ts'
import { displayPath, toPosix } from '../shared/paths.ts'

const SCRIPT = /\.[cm]?jsx?$/

/** Other plugins may keep only a compressed file, for servers that send it under the original name. */
const COMPRESSED = /\.(?:gz|br|zst)$/

interface OutputScript {
  readonly name: string
  text(): string
}

export interface BuildOutput {
  /** The folder to which paths in errors are relative. */
  readonly root: string
  /** Absolute paths of all output files, with `/`. */
  readonly names: Iterable<string>
  readonly scripts: Iterable<OutputScript>
  /** The message files that this build created for the output. */
  readonly made: Iterable<string>
  /** The folder of the output at the time of the check, to find copied files on disk. */
  readonly folder?: string | undefined
}

export function isScript(name: string): boolean {
  return SCRIPT.test(name) && !MESSAGE_FILE.test(name)
}

/** A script that addresses message files. */
interface Importer {
  readonly root: string
  readonly script: string
  readonly made: readonly string[]
  readonly hashes: readonly string[]
}

export interface MessageFileCheck {
  add(output: BuildOutput): void
  /**
   * To be called after the last output, because outputs may share a folder and its files. Errors: MESSAGE_FILE_MISSING.
   */
  finish(): void
}

export function createMessageFileCheck(): MessageFileCheck {
  const known = { names: new Set<string>(), hashes: new Set<string>() }
  const folders = new Set<string>()
  const importers: Importer[] = []
  const addNames = (names: Iterable<string>) => {
    for (const given of names) {
      const name = given.replace(COMPRESSED, '')
      known.names.add(name)
      const hash = MESSAGE_FILE.exec(name)?.[1]
      if (hash !== undefined) known.hashes.add(hash)
    }
  }
  return {
    add({ root, names, scripts, made, folder }) {
      addNames(names)
      if (folder !== undefined) folders.add(folder)
      for (const { name: script, text } of scripts) {
        const hashes = hashesIn(text())
        if (hashes.length > 0) importers.push({ root, script, made: [...made], hashes })
      }
    },
    finish() {
      const missing = () => importers.flatMap((importer) => missingOf(importer, known))
      if (missing().length > 0) for (const folder of folders) addNames(filesIn(folder))
      const [first, ...others] = missing()
      if (first) throw missingError(first.script, [...new Set([first, ...others].map(({ file }) => file))])
    },
  }
}

function missingOf(
  { root, script, made, hashes }: Importer,
  known: { readonly names: ReadonlySet<string>; readonly hashes: ReadonlySet<string> },
): { readonly script: string; readonly file: string }[] {
  const files = made.filter((name) => !known.names.has(name))
  const others = hashes.filter((hash) => !known.hashes.has(hash) && files.every((file) => !file.includes(`.${hash}.`)))
  const missing = [
    ...files.map((file) => displayPath(root, file)),
    ...others.map((hash) => `localization/**/*.${hash}.js`),
  ]
  return missing.map((file) => ({ script: displayPath(root, script), file }))
}

/** The check for bundlers that provide the whole output together. */
export function checkMessageFiles(output: BuildOutput): void {
  const check = createMessageFileCheck()
  check.add(output)
  check.finish()
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { encoding: 'utf8', recursive: true }).map((name) => toPosix(posix.join(folder, name)))
}

const SHOWN = 3

function missingError(script: string, files: readonly string[]): LocalizationError {
  const shown = files.slice(0, SHOWN).join(', ')
  const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : ''
  const what = files.length === 1 ? 'a message file that is' : `${files.length} message files that are`
  return new LocalizationError(`${script} loads ${what} missing from the output: ${shown}${more}`, {
    code: 'MESSAGE_FILE_MISSING',
    hint:
      'Another plugin removed or renamed files in localization/, or the script is from another build. Delete ' +
      "the bundler's cache and build again.",
  })
}
