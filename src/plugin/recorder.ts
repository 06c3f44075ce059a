/** Receives the keys that pages use: `POST /__localization/recorded` of a dev server. */
import { appendFile, mkdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import * as z from 'zod'
import { refusalOf } from '../inspector/access.ts'
import { assertMethod, Refusal, readJson, send } from '../inspector/http.ts'
import { recordedLine } from '../usage/recorded/recordings.ts'
import { recordingsFolder } from '../usage/recorded/recordings-folder.ts'

/** A page reports as many keys as it shows. */
const lines = z.array(recordedLine).max(100_000)

interface RecorderAccess {
  readonly hosts: readonly string[]
  /** Pages on other machines may record too. */
  readonly network: boolean
}

export type Recorder = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export function createRecorder(root: string, access: RecorderAccess): Recorder {
  const folder = recordingsFolder(root)
  const seen = new Set<string>()
  return async (request, response) => {
    try {
      // No token: the app's own pages have none, and can only report which keys they use.
      const refusal = refusalOf('data', request, { ...access, token: '' })
      if (refusal !== undefined) throw new Refusal(403, refusal)
      assertMethod(request, 'POST')
      const given = lines.safeParse(await readJson(request))
      if (!given.success) throw new Refusal(400, z.prettifyError(given.error))
      const fresh = given.data.map((line) => JSON.stringify(line)).filter((line) => !seen.has(line))
      for (const line of fresh) seen.add(line)
      if (fresh.length > 0) {
        await mkdir(folder, { recursive: true })
        await appendFile(join(folder, `server-${process.pid}.jsonl`), `${fresh.join('\n')}\n`)
      }
      send(response, 204, 'text/plain', '')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      send(response, error.status, 'text/plain; charset=utf-8', error.message)
    }
  }
}
