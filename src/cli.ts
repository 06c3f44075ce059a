#!/usr/bin/env node
/** The `localization` command. */
import { runCli } from './cli/main.ts'

/** Runs the command and sets its exit code. The process exits when there is no more work. */
export async function run(): Promise<void> {
  // If the process exits before the command has finished, the command has failed.
  process.exitCode = 1
  process.exitCode = await runCli(process.argv.slice(2))
}

void run()
