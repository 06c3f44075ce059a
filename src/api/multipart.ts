/** A multipart form with one file. The file is streamed unless it is already in memory. */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { LocalizationError, messageOf } from '../errors.ts'

/** A file to upload: its content, its path, or a stream. A string is always content, never a path. */
export type UploadFile = Uint8Array | string | { readonly path: string } | AsyncIterable<Uint8Array>

export interface OpenForm {
  readonly body: Readable | Buffer
  readonly headers: Record<string, string>
}

/** True if the form can be opened more than once. */
export function isReopenable(file: UploadFile): boolean {
  return typeof file === 'string' || file instanceof Uint8Array || 'path' in file
}

/** Opens the form, whose `file` part contains the file and its name. @throws FILE_READ if a path cannot be read. */
export async function openForm(file: UploadFile, fileName: string): Promise<OpenForm> {
  const boundary = `form-${randomBytes(18).toString('hex')}`
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted(fileName)}"\r\n` +
      'Content-Type: application/json\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const type = `multipart/form-data; boundary=${boundary}`
  // Uses a single buffer, because streaming three chunks would be much slower for a small file.
  if (typeof file === 'string') {
    const body = Buffer.concat([head, Buffer.from(file), tail])
    return { body, headers: { 'content-type': type } }
  }
  const { content, length } = await openFile(file)
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head
    yield* content
    yield tail
  }
  return {
    body: Readable.from(parts(), { objectMode: false }),
    headers: {
      'content-type': type,
      ...(length !== undefined && { 'content-length': String(head.length + length + tail.length) }),
    },
  }
}

async function openFile(
  file: Exclude<UploadFile, string>,
): Promise<{ content: AsyncIterable<Uint8Array> | Uint8Array[]; length?: number }> {
  if (file instanceof Uint8Array) return { content: [file], length: file.byteLength }
  if (!('path' in file)) return { content: file }
  try {
    const { size } = await stat(file.path)
    return { content: readPath(file.path), length: size }
  } catch (cause) {
    throw readError(file.path, cause)
  }
}

async function* readPath(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (cause) {
    throw readError(path, cause)
  }
}

/** Quotes a file name as browsers do: only quotes and line breaks are percent-encoded. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function readError(path: string, cause: unknown): LocalizationError {
  return new LocalizationError(`cannot be read: ${messageOf(cause)}`, {
    code: 'FILE_READ',
    place: { file: path },
    cause,
  })
}
