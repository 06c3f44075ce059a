/** Checks of finished outputs in Rollup, Rolldown and Vite: no secrets, and no missing message files. */
import { posix } from 'node:path'
import type { NormalizedOutputOptions, OutputBundle } from 'rollup'
import { LocalizationError } from '../../../errors.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { type BuiltModule, checkNotEmpty } from '../../empty-modules.ts'
import { createMessageFileCheck, type MessageFileCheck } from '../../message-files.ts'
import { findLeak, leakError, type OutputFile } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'
import type { Session } from '../../session.ts'
import { type OutputContext, outputFolder } from './output.ts'

interface PendingCheck {
  readonly check: MessageFileCheck
  /** The message files made for each output folder. */
  readonly made: Map<string, string[]>
  /** The number of outputs that have started and not finished. */
  open: number
}

/** Checks the outputs of one build together: they may share a folder, in which a plugin removes duplicate files. */
export class OutputChecks {
  readonly #session: Session
  readonly #byEnvironment = new Map<string | undefined, PendingCheck>()

  constructor(session: Session) {
    this.#session = session
  }

  begin(context: OutputContext): void {
    this.#of(context).open++
  }

  noteMessageFile(context: OutputContext, output: NormalizedOutputOptions, fileName: string): void {
    const { made } = this.#of(context)
    const folder = outputFolder(output)
    const files = made.get(folder) ?? []
    files.push(posix.join(folder, fileName))
    made.set(folder, files)
  }

  /** Checks an output. Errors: SECRET_EXPOSED, MODULE_EMPTY. */
  async add(context: OutputContext, output: NormalizedOutputOptions, bundle: OutputBundle): Promise<void> {
    const leak = findLeak(filesOf(bundle), await secretsToFind(this.#session))
    if (leak) failWith(context, leakError(leak))
    try {
      checkNotEmpty(NULL_SPELLING, modulesOf(context))
    } catch (error) {
      failWith(context, error)
    }
    const { config } = await this.#session.ready()
    const pending = this.#of(context)
    const folder = outputFolder(output)
    const place = (name: string) => posix.join(folder, name)
    pending.open--
    pending.check.add({
      root: config.root,
      names: Object.keys(bundle).map(place),
      scripts: Object.values(bundle).flatMap((one) =>
        one.type === 'chunk' ? [{ name: place(one.fileName), text: () => one.code }] : [],
      ),
      made: pending.made.get(folder) ?? [],
      folder,
    })
  }

  /** Checks the message files after the last output. Errors: MESSAGE_FILE_MISSING. */
  finish(context: OutputContext): void {
    const { check, open } = this.#of(context)
    this.#byEnvironment.delete(context.environment?.name)
    // A failed output has already reported its error, which this one would hide.
    if (open > 0) return
    try {
      check.finish()
    } catch (error) {
      failWith(context, error)
    }
  }

  #of({ environment }: OutputContext): PendingCheck {
    const known = this.#byEnvironment.get(environment?.name)
    if (known) return known
    const made = { check: createMessageFileCheck(), made: new Map(), open: 0 }
    this.#byEnvironment.set(environment?.name, made)
    return made
  }
}

/** Keeps the error's code if the bundler has a field for it. */
function failWith(context: OutputContext, error: unknown): never {
  if (!(error instanceof LocalizationError)) throw error
  return context.error({ message: error.message, pluginCode: error.code })
}

function* modulesOf(context: OutputContext): Iterable<BuiltModule> {
  for (const id of context.getModuleIds()) {
    if (!NULL_SPELLING.filter.test(id)) continue
    const code = context.getModuleInfo(id)?.code
    if (typeof code === 'string') yield { id, size: code.length }
  }
}

function* filesOf(bundle: OutputBundle): Iterable<OutputFile> {
  for (const output of Object.values(bundle)) {
    if (output.type === 'asset') yield { name: output.fileName, content: output.source }
    else {
      yield { name: output.fileName, content: output.code }
      if (output.map) yield { name: `${output.fileName}.map`, content: output.map.toString() }
    }
  }
}
