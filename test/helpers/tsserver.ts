/** The server that editors ask about TypeScript files. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { repository } from './bundlers.ts'

export interface TsServer {
  /** What the editor shows at a place of the file. Both count from 1. */
  quickInfo(place: { readonly line: number; readonly offset: number }): Promise<QuickInfo>
  close(): Promise<void>
}

interface QuickInfo {
  readonly displayString: string
  readonly documentation: string
  readonly tags: readonly { readonly name: string; readonly text: string }[]
}

interface Answer {
  readonly type: string
  readonly request_seq?: number
  readonly success?: boolean
  readonly message?: string
  readonly body?: unknown
}

/** Opens one file. The `tsconfig.json` beside it counts where it includes the file. */
export function startTsServer(file: string): TsServer {
  const command = join(repository, 'node_modules/typescript/lib/tsserver.js')
  const child = spawn(process.execPath, [command, '--disableAutomaticTypingAcquisition'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const waiting = new Map<number, (answer: Answer) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return
    const answer = JSON.parse(line) as Answer
    if (answer.type === 'response' && answer.request_seq !== undefined) waiting.get(answer.request_seq)?.(answer)
  })
  let last = 0
  const send = (command: string, args: object): number => {
    child.stdin.write(`${JSON.stringify({ seq: ++last, type: 'request', command, arguments: args })}\n`)
    return last
  }
  send('open', { file })
  return {
    async quickInfo(place) {
      const answer = await new Promise<Answer>((resolve) => waiting.set(send('quickinfo', { file, ...place }), resolve))
      if (!answer.success) throw new Error(`${file}:${place.line}: ${answer.message}`)
      return answer.body as QuickInfo
    },
    async close() {
      send('exit', {})
      await ended
    },
  }
}
