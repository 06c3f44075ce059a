/** What the running dev server tells an agent. */
import { findInspector, type RunningInspector } from '../../inspector/running.ts'
import type { CommandContext, CommandResult } from '../command.ts'
import { result } from './result.ts'

export async function openDevServer(context: CommandContext): Promise<RunningInspector | undefined> {
  const { root } = await context.config()
  return findInspector(root, context.signal)
}

/** The state of sync, what waits for a decision, findings, and the latest messages. */
export async function showDevServer(
  context: CommandContext,
  { limit }: { readonly limit: number },
): Promise<CommandResult> {
  const server = await openDevServer(context)
  if (!server) return result({ isRunning: false })
  const [overview, lists, log] = await Promise.all([
    server.call('overview', {}),
    server.call('sync', {}),
    server.call('log', {}),
  ])
  const { sync, counts, stale, findings } = overview
  const first = <Item>({ total, items }: { readonly total: number; readonly items: readonly Item[] }) => {
    return { total, items: items.slice(0, limit) }
  }
  return result({
    isRunning: true,
    pid: server.pid,
    inspector: server.address,
    sync,
    counts,
    stale,
    conflicts: first(lists.conflicts),
    held: first(lists.holds),
    waiting: first(lists.waiting),
    findings: findings.slice(0, limit),
    log: log.slice(-limit).map(({ at, level, message }) => ({ at: new Date(at).toISOString(), level, message })),
  })
}
