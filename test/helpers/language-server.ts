/** TypeScript's language server, as an editor starts it: `tsserver` until TypeScript 6, the protocol LSP from 7. */
import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'

/** A place in a file. Line and column start at 1. */
interface EditorPlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface LanguageServer {
  open(file: string, text: string): Promise<void>
  definition(place: EditorPlace): Promise<EditorPlace[]>
  /** The documentation that the editor shows. */
  hover(place: EditorPlace): Promise<string>
  close(): void
}

// biome-ignore lint/suspicious/noExplicitAny: messages of another program
type Message = Readonly<Record<string, any>>

export interface ServerOptions {
  /** TypeScript 7 and later. */
  readonly isLsp?: boolean
  /** The folder whose `node_modules` has Vue's plugin for `tsserver`, as Vue's extensions of editors load it. */
  readonly vuePlugin?: string | undefined
}

export async function startLanguageServer(script: string, options: ServerOptions = {}): Promise<LanguageServer> {
  return options.isLsp ? startLsp(script) : startTsserver(script, options)
}

function connect(
  script: string,
  args: readonly string[],
  answered: (message: Message) => unknown,
  hasHeaders: boolean,
) {
  const server = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<never>((_, reject) => {
    server.once('exit', (code) => reject(new Error(`the language server ended with ${code}`)))
  })
  ended.catch(() => {})
  const waiting = new Map<unknown, (message: Message) => void>()
  let received = Buffer.alloc(0)
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
      const length = Number(/Content-Length: (\d+)/i.exec(received.subarray(0, end).toString())?.[1])
      if (received.length < end + 4 + length) break
      const message = JSON.parse(received.subarray(end + 4, end + 4 + length).toString()) as Message
      received = received.subarray(end + 4 + length)
      const id = answered(message)
      waiting.get(id)?.(message)
      waiting.delete(id)
    }
  })
  const send = (message: object) => {
    const body = JSON.stringify(message)
    server.stdin.write(hasHeaders ? `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` : `${body}\n`)
  }
  const ask = (id: number, message: object) => {
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    send(message)
    return Promise.race([answer, ended])
  }
  return { send, ask, close: () => server.kill() }
}

function startTsserver(script: string, { vuePlugin }: ServerOptions): LanguageServer {
  const answered = (message: Message) => (message.type === 'response' ? message.request_seq : undefined)
  const plugins = vuePlugin ? ['--globalPlugins', '@vue/typescript-plugin', '--pluginProbeLocations', vuePlugin] : []
  const { send, ask, close } = connect(script, ['--disableAutomaticTypingAcquisition', ...plugins], answered, false)
  let seq = 0
  const request = async (command: string, args: object) => {
    seq++
    return (await ask(seq, { seq, type: 'request', command, arguments: args })).body
  }
  const at = ({ file, line, column }: EditorPlace) => ({ file, line, offset: column })
  return {
    async open(file) {
      seq++
      send({ seq, type: 'request', command: 'open', arguments: { file } })
    },
    async definition(place) {
      const found: Message[] = (await request('definition', at(place))) ?? []
      return found.map(({ file, start }) => ({ file, line: start.line, column: start.offset }))
    },
    async hover(place) {
      return (await request('quickinfo', at(place)))?.documentation ?? ''
    },
    close,
  }
}

async function startLsp(script: string): Promise<LanguageServer> {
  const answered = (message: Message) => {
    if (!('method' in message)) return message.id
    // The server asks for settings and registers itself, and waits for the answer.
    const result = message.params?.items?.map(() => null) ?? null
    if ('id' in message) send({ jsonrpc: '2.0', id: message.id, result })
    return undefined
  }
  const { send, ask, close } = connect(script, ['--lsp', '--stdio'], answered, true)
  let id = 0
  const request = async (method: string, params: object) => {
    id++
    return (await ask(id, { jsonrpc: '2.0', id, method, params })).result
  }
  const at = ({ file, line, column }: EditorPlace) => ({
    textDocument: { uri: pathToFileURL(file).href },
    position: { line: line - 1, character: column - 1 },
  })
  const textDocument = { hover: { contentFormat: ['markdown'] }, definition: { linkSupport: false } }
  await request('initialize', { processId: process.pid, rootUri: null, capabilities: { textDocument } })
  send({ jsonrpc: '2.0', method: 'initialized', params: {} })
  return {
    async open(file, text) {
      const textDocument = { uri: pathToFileURL(file).href, languageId: 'typescript', version: 1, text }
      send({ jsonrpc: '2.0', method: 'textDocument/didOpen', params: { textDocument } })
    },
    async definition(place) {
      const found: Message[] = [(await request('textDocument/definition', at(place))) ?? []].flat()
      return found.map(({ uri, range: { start } }) => ({
        file: new URL(uri).pathname,
        line: start.line + 1,
        column: start.character + 1,
      }))
    },
    async hover(place) {
      return (await request('textDocument/hover', at(place)))?.contents?.value ?? ''
    },
    close,
  }
}
