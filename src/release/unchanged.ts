/** Finds the message files that are still current, so that a release reads and generates only the others. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import { encodeName } from '../output/ids.ts'
import { type MadeNamespace, madeWith } from '../output/live-table.ts'
import { PER_CHUNK_MARK, type PrebuiltChunksInput, type TextModule } from '../output/prebuilt-chunks.ts'
import { readCurrentInputs } from '../plugin/load.ts'
import { fileSize, type LiveBuild } from './build-folder.ts'

type Inputs = Parameters<typeof readCurrentInputs>[1]

export interface Unchanged {
  readonly namespaces: ReadonlyMap<string, MadeNamespace>
  /** The source's inputs at the time of the comparison. */
  readonly inputs: Inputs | undefined
}

/** With this value, a release reads and generates everything. */
export const NOTHING_UNCHANGED: Unchanged = { namespaces: new Map(), inputs: undefined }

/**
 * Returns the namespaces whose inputs have not changed since their message files were made: neither in files nor in the
 * service.
 */
export async function findUnchanged(build: LiveBuild, config: ResolvedConfig): Promise<Unchanged> {
  const { record, made } = build
  const { minimum, onMissing } = config.coverage
  // A coverage minimum can only be checked with all texts.
  const needsAll = Object.keys(minimum).length > 0 && onMissing !== 'ignore'
  if (!made || needsAll || made.settings !== madeWith(config)) return NOTHING_UNCHANGED
  const known = new Map(made.namespaces)
  const digests = (of: 'files' | 'service') =>
    new Map([...known].flatMap(([name, { [of]: own }]) => (own ? [[name, own]] : [])))
  // If this fails, loading all texts also fails, and reports the error.
  const inputs = await readCurrentInputs(config, {
    files: digests('files'),
    service: digests('service'),
    validator: made.validator,
  }).catch(() => undefined)
  if (!inputs) return NOTHING_UNCHANGED
  const isSame = (name: string, { files, service }: MadeNamespace) =>
    files === (inputs.files.get(name) ?? null) && service === (inputs.service?.get(name) ?? null)
  const same = record.namespaces.flatMap((name) => {
    const own = known.get(name)
    return own && isSame(name, own) ? [[name, own] as const] : []
  })
  const whole = await Promise.all(same.map(([name, own]) => hasFiles(build, name, own)))
  return { namespaces: new Map(same.filter((_, at) => whole[at])), inputs }
}

/** Returns false if a file is missing, or if its size is wrong because the disk was full. */
async function hasFiles({ folder, record }: LiveBuild, namespace: string, made: MadeNamespace): Promise<boolean> {
  const { languages, extension } = record
  const name = encodeName(namespace)
  const sizes = await Promise.all(
    made.sizes.map((_, at) => {
      const hash = hashAt(made, at)
      const mark = at < languages.length ? '' : PER_CHUNK_MARK
      const path = `${encodeName(languages[at % languages.length] as string)}/${name}${mark}`
      return hash === undefined ? 0 : fileSize(join(folder, `${path}.${hash}${extension}`))
    }),
  )
  return sizes.every((size, at) => size === made.sizes[at])
}

const hashAt = ({ hashes }: MadeNamespace, at: number) => hashes.slice(at * 8, at * 8 + 8).trim() || undefined

/** A module whose file exists. The file is read only if its bytes are needed. */
export class MadeModule implements TextModule {
  readonly #path: string
  readonly hash: string
  readonly size: number

  constructor(path: string, hash: string, size: number) {
    this.#path = path
    this.hash = hash
    this.size = size
  }

  get bytes(): Buffer {
    return readFileSync(this.#path)
  }
}

export function modulesOf({ folder, record }: LiveBuild, { namespaces }: Unchanged): PrebuiltChunksInput['made'] {
  return (namespace) => {
    const made = namespaces.get(namespace)
    return (
      made &&
      ((at, path) => {
        const hash = hashAt(made, at)
        return hash === undefined
          ? undefined
          : new MadeModule(join(folder, `${path}.${hash}${record.extension}`), hash, made.sizes[at] as number)
      })
    )
  }
}
