import type { CommandResult } from '../command.ts'

/** An agent reads the data only. */
export function result(data: object, failed = false): CommandResult {
  return { data, failed, text: () => '' }
}
