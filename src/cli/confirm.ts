import { type CommandContext, UsageError } from './command.ts'

/** Asks on a terminal; elsewhere only `--yes` is a yes. */
export async function confirm(
  { io, signal }: CommandContext,
  question: string,
  { yes }: { readonly yes: boolean },
): Promise<boolean> {
  if (yes) return true
  if (!io.canAsk)
    throw new UsageError(
      `${question} Without a terminal, the command cannot ask: give --yes, or --dry-run for a preview`,
    )
  const answer = await io.ask(`${question} [y/N] `, signal)
  return /^y(es)?$/i.test(answer)
}
