#!/usr/bin/env node
/** The command `localization`. */
import { runCli } from './cli/main.ts'

void runCli(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
