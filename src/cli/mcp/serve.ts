/** The server of `localization mcp`: the methods of the Model Context Protocol, and how a tool runs. */
import * as z from 'zod'
import { packageVersion } from '../../shared/package-version.ts'
import type { CommandContext, RunLine } from '../command.ts'
import type { CliIo } from '../io.ts'
import { runCommand } from '../run.ts'
import { CODES, RpcError, serveLines } from './json-rpc.ts'
import { TOOLS, type Tool } from './tools.ts'

/** The newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

const INSTRUCTIONS =
  'The translations of this project: texts by language, namespace and key. Find a text with find_shown or find_keys, ' +
  'look at it with show_key, and check new texts in all languages with propose_texts before you write them. A text ' +
  'is written with the placeholders and plural forms of the default language. Nothing is ever written to the service.'

export async function serveAgents(
  context: CommandContext,
  run: RunLine,
  { write }: { readonly write: boolean },
): Promise<void> {
  const { io } = context
  const protocol = io.protocol()
  const tools = new Map(TOOLS.filter(({ writes }) => write || !writes).map((tool) => [tool.name, tool]))
  let lastWrite: Promise<unknown> = Promise.resolve()
  const methods = {
    initialize: ({ protocolVersion }: Readonly<Record<string, unknown>>) => ({
      protocolVersion: VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name: 'localization', version: packageVersion() },
      instructions: INSTRUCTIONS,
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: [...tools.values()].map(describe) }),
    'tools/call': async ({ name, arguments: given = {} }: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
      const tool = typeof name === 'string' ? tools.get(name) : undefined
      if (!tool) throw new RpcError(CODES.params, `there is no tool ${JSON.stringify(name)}`)
      const call = () => callTool(tool, given, { ...context, signal }, run)
      if (!tool.writes) return call()
      // Two writes at once could each miss what the other one has written.
      const result = lastWrite.then(call)
      lastWrite = result.catch(() => undefined)
      return result
    },
  }
  context.out.say(`answering agents about ${context.globals.root}${write ? '' : ', reading only'}`)
  await serveLines(protocol, methods, io.stopSignal)
}

function describe({ name, description, input, writes = false }: Tool): object {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  return { name, description, inputSchema, annotations: { readOnlyHint: !writes, destructiveHint: writes } }
}

/** Each call is a command of its own: it reads the configuration and the files as they are now. */
async function callTool(tool: Tool, given: unknown, context: CommandContext, run: RunLine): Promise<object> {
  const input = tool.input.safeParse(given)
  if (!input.success) return resultOf({ error: { code: 'USAGE', message: z.prettifyError(input.error) } }, true)
  const { signal, globals } = context
  const data = input.data as never
  const printed: string[] = []
  const messages: string[] = []
  const io: CliIo = {
    ...context.io,
    out: (text) => void printed.push(text),
    err(text) {
      messages.push(text.trim())
      context.io.err(text)
    },
    outTty: false,
    errTty: false,
    canAsk: false,
    columns: undefined,
    stopSignal: signal,
  }
  const code =
    'command' in tool
      ? await run([...argumentsOf(globals), ...tool.command(data)], io)
      : await runCommand(io, { ...globals, json: true, color: false }, (inner) => tool.work(inner, data))
  const answer = dataOf(printed.join(''))
  if ('error' in answer) return resultOf(answer, true)
  const picked = 'command' in tool ? tool.pick(answer as never, data) : answer
  return resultOf({ ...picked, ...(messages.length > 0 && { messages }) }, tool.writes === true && code !== 0)
}

function argumentsOf({ root, config, mode, envDir }: CommandContext['globals']): string[] {
  const given = { root, config, mode, 'env-dir': envDir }
  return [
    ...Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    '--json',
    '--no-color',
  ]
}

function dataOf(printed: string): object {
  if (printed === '') return { error: { code: 'INTERNAL', message: 'no result' } }
  return JSON.parse(printed) as object
}

function resultOf(data: object, isError: boolean): object {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], isError }
}
