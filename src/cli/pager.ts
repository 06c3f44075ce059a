/** Shows a long result in the pager of the terminal, as git does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** For less: end at once if all fits on the screen, let colours work, and leave the text on the screen. */
const LESS = 'FRX'

type Environment = Readonly<Record<string, string | undefined>>

/** Resolves to false if nothing was shown: the person wants no pager, or there is none. */
export async function showInPager(text: string, env: Environment): Promise<boolean> {
  const [command = '', ...args] = (env.PAGER ?? 'less').trim().split(/\s+/)
  if (command === '' || command === 'cat' || env.TERM === 'dumb') return false
  // Ctrl-C is for the pager, which takes it as any other key.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    const pager = spawn(command, args, {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS, LV: '-c', ...env },
    })
    const ended = once(pager, 'close')
    // The person has seen enough before the end of the text.
    pager.stdin.on('error', () => {})
    pager.stdin.end(text)
    await ended
    return true
  } catch {
    return false
  } finally {
    process.off('SIGINT', ignore)
  }
}
