/** `localization mcp` serves agents over the Model Context Protocol. */
import * as z from 'zod'
import { packageVersion } from '../../shared/package-version.ts'
import { type CommandContext, defineCommand, flag } from '../command.ts'
import type { CliIo } from '../io.ts'
import { CODES, RpcError, serveLines } from '../mcp/json-rpc.ts'
import { TOOLS, type Tool } from '../mcp/tools.ts'
import { runCommand } from '../run.ts'

export const command = defineCommand({
  description:
    'Serve agents over the Model Context Protocol on standard input and output: find, check and ' +
    'propose texts. Writes files only with --write, and never writes to the service.',
  examples: ['mcp', 'mcp --root apps/shop --write'],
  options: { write: flag('offer a tool that writes texts into the files') },
  // Standard output is reserved for the protocol.
  result: z.undefined(),
  async work(context, { write }) {
    await serveAgents(context, write)
    return undefined
  },
  text: () => '',
})

/** The supported protocol versions, newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

const INSTRUCTIONS =
  'The translations of this project: texts by language, namespace and key. Find a text with find_shown or find_keys, ' +
  'look at it with show_key, and check new texts in all languages with propose_texts before you write them. A text ' +
  'is written with the placeholders and plural forms of the default language. Nothing is ever written to the service.'

async function serveAgents(context: CommandContext, write: boolean): Promise<void> {
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
      if (!tool) throw new RpcError(CODES.params, `unknown tool ${JSON.stringify(name)}`)
      const call = () => callTool(tool, given, context, signal)
      if (!tool.writes) return call()
      // Writes run one after another, because concurrent writes could miss each other's texts.
      const result = lastWrite.then(call)
      lastWrite = result.catch(() => undefined)
      return result
    },
  }
  context.out.say(`serving agents for ${context.globals.root}${write ? '' : ' (read-only)'}`)
  await serveLines(protocol, methods, io.stopSignal)
}

function describe({ name, description, input, writes = false }: Tool): object {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  return { name, description, inputSchema, annotations: { readOnlyHint: !writes, destructiveHint: writes } }
}

/** Runs a tool as a separate command, so that it reads the current configuration and files. */
async function callTool(tool: Tool, given: unknown, context: CommandContext, signal: AbortSignal): Promise<object> {
  const input = tool.input.safeParse(given)
  if (!input.success) return resultOf({ error: { code: 'USAGE', message: z.prettifyError(input.error) } }, true)
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
  const globals = { ...context.globals, json: true, color: false, quiet: false }
  const code = await runCommand(io, globals, (inner) => tool.work(inner, input.data))
  const answer = JSON.parse(printed.join('')) as object
  if ('error' in answer) return resultOf(answer, true)
  return resultOf({ ...answer, ...(messages.length > 0 && { messages }) }, tool.writes === true && code !== 0)
}

function resultOf(data: object, isError: boolean): object {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], isError }
}
