/**
 * Checks a finished output. The checks are the same for every bundler: the output contains no secret, every virtual
 * module has code, and every message file that a script loads exists.
 */
import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { formatRequest, type IdSpelling, type KnownNames } from '../output/ids.ts'
import { hashesIn, MESSAGE_FILE } from '../output/prebuilt-chunks.ts'
import { listed } from '../shared/figures.ts'
import { displayPath, toPosix } from '../shared/paths.ts'
import { type Leak, leakError, leaksIn, removeLeaks, secretsToFind } from './secret-scan.ts'
import type { Session } from './session.ts'

export interface BuiltFile {
  /** The file's name in messages. */
  readonly name: string
  /** The absolute path, with forward slashes. */
  readonly path: string
  /** By default, the file's name decides. */
  readonly isScript?: boolean | undefined
  /** Called only if needed. */
  readonly content: () => string | Uint8Array | Promise<string | Uint8Array>
}

export interface BuiltOutput {
  /** Paths in errors are relative to this folder. */
  readonly root: string
  readonly files: readonly BuiltFile[]
  /** The absolute paths of the message files that this build added to the output. */
  readonly made?: readonly string[]
  /** The output folder. Message files that seem to be missing are looked up there on disk. */
  readonly folder?: string | undefined
  /** True if the files are already on disk. Files with secrets are then deleted. */
  readonly isWritten?: boolean
}

/** Checks an output. Returns SECRET_EXPOSED and MESSAGE_FILE_MISSING errors. */
export async function checkOutput(session: Session, output: BuiltOutput): Promise<LocalizationError[]> {
  const check = new OutputCheck(session)
  const errors = await check.add(output)
  return [...errors, ...check.finish()]
}

interface Importer {
  readonly root: string
  readonly script: string
  readonly made: readonly string[]
  readonly hashes: readonly string[]
}

/** Checks several outputs, which may share a folder and its files. */
export class OutputCheck {
  readonly #names = new Set<string>()
  readonly #hashes = new Set<string>()
  readonly #folders = new Set<string>()
  readonly #importers: Importer[] = []

  constructor(private readonly session: Session) {}

  /** Searches one output for secrets. Returns a SECRET_EXPOSED error if it contains any. */
  async add({ root, files, made = [], folder, isWritten }: BuiltOutput): Promise<LocalizationError[]> {
    const secrets = await secretsToFind(this.session)
    const leaks: Leak[] = []
    this.#addNames(files.map(({ path }) => path))
    if (folder !== undefined) this.#folders.add(folder)
    // Files are read one at a time, so that they are not all in memory together.
    for (const { name, path: script, isScript = isScriptName(script), content } of files) {
      if (!isScript && secrets.length === 0) continue
      const given = content()
      // Awaited only if necessary. While the process exits, no asynchronous code runs, but written files must still be
      // deleted.
      const bytes = given instanceof Promise ? await given : given
      leaks.push(...leaksIn([{ name, content: bytes }], secrets))
      const hashes = isScript ? hashesIn(textOf(bytes)) : []
      if (hashes.length > 0) this.#importers.push({ root, script, made, hashes })
    }
    const pathOf = (file: string) => files.find(({ name }) => name === file)?.path ?? file
    return leaks[0] ? [leakError(leaks[0], isWritten ? removeLeaks(leaks, pathOf) : '')] : []
  }

  /**
   * Must be called after the last output. Returns a MESSAGE_FILE_MISSING error if a script loads a file that does not
   * exist.
   */
  finish(): LocalizationError[] {
    const missing = () => this.#importers.flatMap((importer) => this.#missingOf(importer))
    if (missing().length > 0) for (const folder of this.#folders) this.#addNames(filesIn(folder))
    const [first, ...others] = missing()
    return first ? [missingError(first.script, [...new Set([first, ...others].map(({ file }) => file))])] : []
  }

  #addNames(names: readonly string[]): void {
    for (const given of names) {
      const name = given.replace(COMPRESSED, '')
      this.#names.add(name)
      const hash = MESSAGE_FILE.exec(name)?.[1]
      if (hash !== undefined) this.#hashes.add(hash)
    }
  }

  #missingOf({ root, script, made, hashes }: Importer): { readonly script: string; readonly file: string }[] {
    const files = made.filter((name) => !this.#names.has(name))
    const isUnknown = (hash: string) => !this.#hashes.has(hash) && files.every((file) => !file.includes(`.${hash}.`))
    const missing = [
      ...files.map((file) => displayPath(root, file)),
      ...hashes.filter(isUnknown).map((hash) => `localization/**/*.${hash}.js`),
    ]
    return missing.map((file) => ({ script: displayPath(root, script), file }))
  }
}

const SCRIPT = /\.[cm]?jsx?$/

/** Matches compressed files. Other plugins may delete the originals if the server sends only compressed files. */
const COMPRESSED = /\.(?:gz|br|zst)$/

function isScriptName(path: string): boolean {
  return SCRIPT.test(path) && !MESSAGE_FILE.test(path)
}

function textOf(content: string | Uint8Array): string {
  if (typeof content === 'string') return content
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString()
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { encoding: 'utf8', recursive: true }).map((name) => toPosix(posix.join(folder, name)))
}

function missingError(script: string, files: readonly string[]): LocalizationError {
  const what = files.length === 1 ? 'a message file that is' : `${files.length} message files that are`
  return new LocalizationError(`${script} loads ${what} missing from the output: ${listed(files)}`, {
    code: 'MESSAGE_FILE_MISSING',
    hint:
      'Another plugin removed or renamed files in localization/, or the script is from another build. Delete ' +
      "the bundler's cache and build again.",
  })
}

export interface BuiltModule {
  readonly id: string
  /** The size before minification, in bytes or characters. */
  readonly size: number
}

const UNKNOWN: KnownNames = { languages: [], namespaces: [], customers: [] }

/** Throws MODULE_EMPTY if one of the generated modules is empty, because the page would then show no texts. */
export function checkNotEmpty(ids: IdSpelling, modules: Iterable<BuiltModule>): void {
  for (const { id, size } of modules) {
    if (size > 0 || !ids.filter.test(id)) continue
    const names = ids.parse(id, UNKNOWN)
    const name = names ? formatRequest(names) : JSON.stringify(id)
    throw new LocalizationError(`${name} is empty in this build`, {
      code: 'MODULE_EMPTY',
      hint: "Another plugin or loader handled it, or the bundler does not support a character in the project's path.",
    })
  }
}
