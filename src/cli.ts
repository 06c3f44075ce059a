#!/usr/bin/env node
/** The `localization` command. */
import { runCli } from './cli/main.ts'

/** Runs the command and sets its exit code. The process exits when nothing is left to do. */
export async function run(): Promise<void> {
  // If the process exits before its command has ended, the command has failed.
  process.exitCode = 1
  process.exitCode = await runCli(process.argv.slice(2))
}

void run()
