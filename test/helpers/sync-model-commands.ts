/** The commands of the sync model: the real ones, with a person at the terminal who answers by chance. */
import { setMaxListeners } from 'node:events'
import { Command } from 'commander'
import type { Act, AddCommand, CommandContext } from '../../src/cli/command.ts'
import { addPull } from '../../src/cli/commands/pull.ts'
import { addPush } from '../../src/cli/commands/push.ts'
import { addResolve } from '../../src/cli/commands/resolve.ts'
import type { ResolvedConfig } from '../../src/config/types.ts'
import { silentLogger } from '../../src/logger.ts'
import type { FakeService } from './fake-service.ts'
import { COMMANDS, type CommandName } from './sync-model-steps.ts'

export interface CommandSetting {
  readonly root: string
  readonly config: ResolvedConfig
  readonly client: ReturnType<FakeService['open']>
  /** The person's answer to a question: ours, theirs or skip. `said`: every line that was printed before. */
  readonly answer: (said: readonly string[]) => 'o' | 't' | 's'
}

/** Resolves when the command has ended. What it says of faults and refusals is not looked at. */
export async function runModelCommand(name: CommandName, setting: CommandSetting): Promise<void> {
  const context = contextOf(setting)
  const act: Act =
    (work) =>
    async (...given) =>
      void (await work(context, given.at(-2) as never, ...(given.slice(0, -2) as never)))
  const cli = new Command().exitOverride()
  for (const add of [addPush, addPull, addResolve] as AddCommand[]) add(cli, act)
  await cli.parseAsync(COMMANDS[name] as unknown as string[], { from: 'user' }).catch(() => undefined)
}

function contextOf({ root, config, client, answer }: CommandSetting): CommandContext {
  const said: string[] = []
  const plain = (_tone: unknown, line: string) => line
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  return {
    io: { canAsk: true, ask: async () => answer(said) },
    out: {
      paint: plain,
      talk: plain,
      say: (line: string) => said.push(line),
      warn: () => {},
      bar: () => ({ update() {}, end() {} }),
      logger: silentLogger,
    },
    globals: { json: false, quiet: false, verbose: true, color: false, root, configFile: undefined },
    signal,
    config: async () => config,
    client: async () => client,
  } as unknown as CommandContext
}
