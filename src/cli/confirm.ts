import { type CommandContext, UsageError } from './command.ts'

/** Asks on a terminal; elsewhere only `--yes` is a yes. */
export async function confirm(
  { io, signal }: CommandContext,
  question: string,
  { yes }: { readonly yes: boolean },
): Promise<boolean> {
  if (yes) return true
  if (!io.canAsk)
    throw new UsageError(`${question} There is nobody to ask here: give --yes, or --dry-run to look first`)
  const answer = await io.ask(`${question} [y/N] `, signal)
  return /^y(es)?$/i.test(answer)
}
