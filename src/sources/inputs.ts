/**
 * The inputs of a load: the files and resources that contain the texts. A namespace's messages depend only on the texts
 * of that namespace. So if its inputs have the same digests as before, its message files have not changed either.
 */
import { hashOf } from '../shared/hash.ts'
import { groupBy } from '../shared/split.ts'
import type { StoredValidator } from './validator.ts'

export interface Input {
  /** The namespace's name in the app. */
  readonly namespace: string
  /** The file's path, or the resource's URL. */
  readonly name: string
  /** A hash of the content, or the ETag. */
  readonly digest: string
}

/** One digest for all inputs of a namespace, by namespace. */
export type InputDigests = ReadonlyMap<string, string>

export interface Inputs {
  readonly files: InputDigests
  /** `undefined` if the source uses no service. */
  readonly service?: InputDigests | undefined
  /** Can prove later that the service's inputs have not changed. */
  readonly validator?: StoredValidator | undefined
}

export function digestsOf(inputs: readonly Input[]): InputDigests {
  const groups = groupBy(inputs, ({ namespace }) => namespace)
  return new Map(
    groups.map((group) => {
      const lines = group.map(({ name, digest }) => JSON.stringify([name, digest])).sort()
      return [(group[0] as Input).namespace, hashOf(lines.join('\n'), 20)]
    }),
  )
}

/** The inputs of a load; `undefined` if the service failed, or cannot tell whether its texts have changed. */
export function inputsOf(
  files: readonly Input[] = [],
  remote:
    | { readonly inputs?: readonly Input[] | undefined; readonly validator?: StoredValidator | undefined }
    | 'files'
    | undefined,
): Inputs | undefined {
  const own = { files: digestsOf(files) }
  if (remote === undefined) return own
  if (remote === 'files' || !remote.inputs) return undefined
  return { ...own, service: digestsOf(remote.inputs), validator: remote.validator }
}
