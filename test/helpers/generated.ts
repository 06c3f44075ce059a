/** Generated files in place of a bundler: the command writes them, and the entries run as they are. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateResult } from '../../src/cli/commands/generate.ts'
import type { Builder } from './bundlers.ts'
import { runCli } from './cli.ts'
import { writeTree } from './temp.ts'

export const OUT = '.localization/modules'

/** What an app adds to its package.json. */
export const IMPORTS = { '#translations': `./${OUT}/index.js`, '#translations/*': `./${OUT}/*.js` }

/** For the suites of all bundlers. Takes options that JSON can hold. */
export const generatedFiles: Builder = {
  name: 'generate',
  async build({ root, entries, options: { configFile: _, ...options } = {} }) {
    await writeTree(root, {
      'package.json': { type: 'module', imports: IMPORTS },
      'localization.config.json': options,
    })
    for (const file of Object.values(entries)) {
      const code = await readFile(join(root, file), 'utf8')
      await writeTree(root, { [file]: code.replaceAll('virtual:translations', '#translations') })
    }
    const run = await runCli(['generate', '--json'], { cwd: root })
    if (run.code !== 0) throw new Error(run.output)
    const files = new Map<string, Buffer>()
    for (const path of run.json(generateResult).written) files.set(path, await readFile(join(root, OUT, path)))
    return { files, entryFile: (name) => join(root, entries[name] as string) }
  },
}

/** Every file in the folder of the modules with its content, by path. */
export async function readModules(root: string, out = OUT): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(join(root, out), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    found.set(path.slice(join(root, out).length + 1).replaceAll('\\', '/'), await readFile(path, 'utf8'))
  }
  return found
}
