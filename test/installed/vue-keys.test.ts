/** "Go to definition" on a key in the script of a `.vue` file, with Vue's own plugin for TypeScript's language server. */
import { createRequire } from 'node:module'
import { test } from 'vitest'
import { installIn } from '../helpers/consumer.ts'
import { checkKeysInEditor } from '../helpers/keys-in-editor.ts'
import { npmInstall } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

test('keys in a Vue component lead to their lines in JSON, nested JSON and YAML, and show their texts', async () => {
  const editor = await tempFolder()
  await writeTree(editor, { 'package.json': { private: true } })
  await npmInstall(editor, '@vue/typescript-plugin@3')
  const tsserver = createRequire(import.meta.url).resolve('typescript/lib/tsserver.js')
  await checkKeysInEditor(await installIn(['vue']), tsserver, { vuePlugin: editor })
})
