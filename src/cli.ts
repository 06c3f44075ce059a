#!/usr/bin/env node
/** The command `localization`. */
import { runCli } from './cli/main.ts'

/** Ends the process with the command's exit code, when nothing is left to do. */
export async function run(): Promise<void> {
  // A process that ends before its command has done nothing for sure.
  process.exitCode = 1
  process.exitCode = await runCli(process.argv.slice(2))
}

void run()
