/**
 * What a user of the client reads in the editor: every method is described, every area names its section of the
 * contract.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const FOLDER = join(import.meta.dirname, '../../../src/api')

/** `interface ...Api` by `interface ...Api`: its docstring, and its methods with theirs. */
const areas = readdirSync(FOLDER).flatMap((file) => {
  const source = ts.createSourceFile(file, readFileSync(join(FOLDER, file), 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.filter(ts.isInterfaceDeclaration).flatMap((area) => {
    if (!area.name.text.endsWith('Api')) return []
    const methods = area.members
      .filter(ts.isMethodSignature)
      .map((method) => [method.name.getText(), docOf(method)] as const)
    return [{ name: area.name.text, doc: docOf(area), methods }]
  })
})

function docOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => doc.getText())
    .join('\n')
}

test('every area of the client is found', () => {
  expect(areas.map(({ name }) => name).sort()).toEqual([
    'CredentialsApi',
    'EnvironmentsApi',
    'ExportsApi',
    'HostingApi',
    'ImportsApi',
    'JobsApi',
    'KeysApi',
    'ProjectApi',
    'ProjectsApi',
    'TranslationsApi',
  ])
})

test.each(areas)('$name names its section of the contract', ({ doc }) => {
  expect(doc).toMatch(/contract/i)
})

test.each(areas.flatMap(({ name, methods }) => methods.map(([method, doc]) => [`${name}.${method}`, doc] as const)))(
  '%s has a docstring',
  (_, doc) => {
    expect(doc.length).toBeGreaterThan(20)
  },
)
