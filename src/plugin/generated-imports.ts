/** Imports of generated files: where there is a plugin, they are the virtual modules. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModuleId } from '../output/ids.ts'
import { IMPORTS_ID, isHashedRequest, parseImportsRequest } from '../output/module-paths.ts'

/** Where `localization generate` writes by default. No dev server may serve this folder. */
const GENERATED = /^\.\/\.localization\//

/**
 * The virtual module that an import of `#translations` stands for; `undefined`: it is another import, or the project's
 * package.json leads it elsewhere than into `.localization`.
 * @param readRoot gives the project's root, an absolute path
 */
export function createImportsParser(readRoot: () => Promise<string>) {
  let isGenerated: Promise<boolean> | undefined
  return async (request: string): Promise<ModuleId | undefined> => {
    const id = isHashedRequest(request) ? undefined : parseImportsRequest(request)
    if (!id) return undefined
    isGenerated ??= readRoot().then(leadsToGenerated)
    return (await isGenerated) ? id : undefined
  }
}

async function leadsToGenerated(root: string): Promise<boolean> {
  try {
    const { imports = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      imports?: Readonly<Record<string, unknown>>
    }
    const target = imports[IMPORTS_ID]
    return typeof target === 'string' && GENERATED.test(target)
  } catch {
    // Without a readable package.json there are no such imports.
    return false
  }
}
