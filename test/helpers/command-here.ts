/** Commands in the process of the test, with a person at the terminal. */
import { setMaxListeners } from 'node:events'
import { Command } from 'commander'
import { addCommand, type CommandContext, type CommandResult } from '../../src/cli/command.ts'
import { command as publish } from '../../src/cli/commands/publish.ts'
import { command as pull } from '../../src/cli/commands/pull.ts'
import { command as push } from '../../src/cli/commands/push.ts'
import { command as resolve } from '../../src/cli/commands/resolve.ts'
import type { ResolvedConfig } from '../../src/config/types.ts'
import { silentLogger } from '../../src/logger.ts'

const COMMANDS = { push, pull, 'resolve [pattern...]': resolve, 'publish <environment...>': publish }

interface Session {
  readonly root: string
  readonly config: ResolvedConfig
  readonly client: object
  /** The person's answer to a question. `said`: every line before it, without the warnings. Default: nobody is there. */
  readonly ask?: ((said: readonly string[]) => string | Promise<string>) | undefined
  readonly verbose?: boolean
  readonly json?: boolean
}

/** Runs push, pull, resolve or publish to the end; gives what it printed, warnings in `warned`, and its result. */
export async function runHere(
  args: readonly string[],
  { root, config, client, ask, verbose = false, json = false }: Session,
) {
  const said: string[] = []
  const warned: string[] = []
  const plain = (_tone: unknown, line: string) => line
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const context = {
    io: { canAsk: ask !== undefined, ask: async () => ask?.(said) },
    out: {
      talk: plain,
      say: (line: string) => said.push(line),
      warn: (line: string) => warned.push(line),
      bar: () => ({ update() {}, end() {} }),
      logger: silentLogger,
    },
    globals: { json, quiet: false, verbose, color: false, root, configFile: undefined },
    signal,
    config: async () => config,
    client: async () => client,
  } as unknown as CommandContext
  let result: CommandResult | undefined
  const program = new Command().exitOverride()
  for (const [usage, command] of Object.entries(COMMANDS))
    addCommand(program, usage, command, async (_command, options, given) => {
      result = await command.run(context, options as never, ...given)
    })
  await program.parseAsync([...args], { from: 'user' })
  return { said, warned, data: result?.data as Record<string, unknown> }
}
