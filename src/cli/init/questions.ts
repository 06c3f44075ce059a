/** Questions on a terminal: prompts that move the cursor, or plain lines if the terminal cannot do that. */
import { setTimeout } from 'node:timers/promises'
import type { CommandContext } from '../command.ts'

interface Question {
  readonly message: string
  readonly proposal: string
  /** Returns the reason why an answer is rejected. */
  readonly check: (answer: string) => string | undefined
}

interface Choice<T extends string> {
  readonly message: string
  /** The first one is the proposal. */
  readonly options: readonly { readonly value: T; readonly label: string }[]
}

/** Both methods reject on Ctrl-C. */
export interface Questions {
  text(question: Question): Promise<string>
  choose<T extends string>(choice: Choice<T>): Promise<T>
}

export async function createQuestions(context: CommandContext): Promise<Questions> {
  const { env } = context.io
  const moves = env.TERM !== 'dumb' && typeof process.stdin.setRawMode === 'function'
  return moves ? prompts(context) : lines(context)
}

async function prompts({ signal, globals }: CommandContext): Promise<Questions> {
  // The library's colors depend on this variable.
  if (!globals.color) process.env.NO_COLOR = '1'
  const { isCancel, select, text } = await import('@clack/prompts')
  const streams = { input: process.stdin, output: process.stderr, signal }
  const answered = async (asked: Promise<string | symbol>): Promise<string> => {
    const answer = await asked
    if (!isCancel(answer)) return answer as string
    // In raw mode, Ctrl-C is a key, not a signal. The timer keeps the process running until the signal arrives.
    if (!signal.aborted) process.kill(process.pid, 'SIGINT')
    await setTimeout(10_000, undefined, { signal }).catch(() => undefined)
    throw signal.reason
  }
  return {
    text: async ({ message, proposal, check }) => {
      const validate = (answer: string | undefined) => check(answer?.trim() || proposal)
      const asked = text({ ...streams, message, placeholder: proposal, defaultValue: proposal, validate })
      return (await answered(asked)).trim() || proposal
    },
    choose: ({ message, options }) => answered(select<string>({ ...streams, message, options: [...options] })) as never,
  }
}

function lines({ io, out, signal }: CommandContext): Questions {
  const ask = async <T>({ message, proposal }: Omit<Question, 'check'>, take: (answer: string) => T | Error) => {
    for (;;) {
      const taken = take((await io.ask(`${message} [${proposal}]: `, signal)) || proposal)
      if (!(taken instanceof Error)) return taken
      out.say(`  ${taken.message}`)
    }
  }
  return {
    text: ({ message, proposal, check }) =>
      ask({ message, proposal }, (answer) => {
        const problem = check(answer)
        return problem === undefined ? answer : new Error(problem)
      }),
    choose: ({ message, options }) => {
      for (const [at, { label }] of options.entries()) out.say(`  ${at + 1}) ${label}`)
      const numbers = `1 to ${options.length}`
      return ask({ message: `${message} (${numbers})`, proposal: '1' }, (answer) => {
        return options[Number(answer) - 1]?.value ?? new Error(`expected a number from ${numbers}`)
      })
    },
  }
}
