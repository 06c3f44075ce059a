/** "Go to definition" on a key opens the translation file, in TypeScript's own language server. */
import { createRequire } from 'node:module'
import { test } from 'vitest'
import { installIn } from '../helpers/consumer.ts'
import { checkKeysInEditor } from '../helpers/keys-in-editor.ts'

test('keys lead to their lines in JSON, nested JSON and YAML, and show their texts', async () => {
  await checkKeysInEditor(await installIn([]), createRequire(import.meta.url).resolve('typescript/lib/tsserver.js'))
}, 120_000)
