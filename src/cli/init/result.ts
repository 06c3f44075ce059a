/** What `localization init` takes and prints. */
import * as z from 'zod'
import type { AssistantOptions } from './assistant.ts'
import type { ConfigOptions } from './config-file.ts'
import { TOOL_NAMES, type ToolName } from './detect-bundler.ts'
import { FRAMEWORK_NAMES, LIBRARY_NAMES } from './libraries.ts'

export const initResult = z.object({
  dryRun: z.boolean(),
  /** The configuration file, relative to the root, and its content. */
  configFile: z.string(),
  config: z.string(),
  bundler: z.enum(TOOL_NAMES).nullable(),
  /** The two lines for the bundler's configuration. */
  bundlerLines: z.array(z.string()),
  framework: z.enum(FRAMEWORK_NAMES).nullable(),
  library: z.enum(LIBRARY_NAMES).nullable(),
  /** Several patterns are separated by `, `; empty: none. */
  files: z.string(),
  /** Languages found in files. */
  languages: z.array(z.string()),
  /** Patterns whose files have the languages and namespaces of others. */
  leftOut: z.array(z.object({ pattern: z.string(), files: z.number().int() })),
  defaultLanguage: z.string().nullable(),
  /** The files that were written, with their diffs; with `--dry-run`, those that `--write` would write. */
  changes: z.array(z.object({ path: z.string(), isNew: z.boolean(), diff: z.array(z.string()) })),
  /** Changes that only a person can make. `place`: a file, perhaps with a line. */
  manual: z.array(z.object({ place: z.string().nullable(), reason: z.string(), lines: z.array(z.string()) })),
  /** The check with the project's own build. */
  build: z
    .object({
      command: z.string().nullable(),
      state: z.enum(['passed', 'failed', 'skipped']),
      message: z.string(),
      /** A file of the output that has the first text. */
      file: z.string().nullable(),
      /** If the build failed: whether it fails without the changes too. */
      failedBefore: z.boolean().nullable(),
      output: z.string().nullable(),
    })
    .nullable(),
  firstText: z
    .object({ language: z.string(), namespace: z.string(), key: z.string(), text: z.string(), file: z.string() })
    .nullable(),
  /** The command that starts the dev server, or the build. */
  next: z.string().nullable(),
})
export type InitResult = z.infer<typeof initResult>

export interface InitOptions extends ConfigOptions, AssistantOptions {
  readonly yes?: boolean
  readonly bundler?: ToolName
}
