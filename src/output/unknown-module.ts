/** The module for unknown names. It is for tools whose aliases cannot fail with this plugin's own error message. */
import type { KnownNames } from './ids.ts'
import { stringLiteral } from './literal.ts'
import { GENERATED_MARK } from './types.ts'

const SHOWN = 20

/**
 * Returns a module that no tool can build. Tools print its failing import, the lines around that import, and the
 * importing file. The module has no default export, so tools also print the line that imports it.
 */
export function generateUnknownModule({ languages, namespaces, customers }: KnownNames): string {
  return [
    GENERATED_MARK,
    '// A file imports a language, namespace or customer of virtual:translations that does not exist. These exist:',
    listLine('languages', languages),
    listLine('namespaces', namespaces),
    ...(customers.length > 0 ? [listLine('customers', customers)] : []),
    "import './unknown-language-or-namespace.js'",
    '',
  ].join('\n')
}

function listLine(what: string, names: readonly string[]): string {
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : ''
  return `// ${what}: ${names.slice(0, SHOWN).map(stringLiteral).join(', ')}${more}`
}
