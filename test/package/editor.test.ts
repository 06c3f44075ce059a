/** What an editor shows of the options: the language service answers as `tsserver` does. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type JsonSchema, optionsJsonSchema } from '../../scripts/options-source.ts'
import { installIn } from '../helpers/consumer.ts'
import { writeTree } from '../helpers/temp.ts'
import { ts } from '../helpers/typescript.ts'

interface OptionLine {
  readonly path: string
  readonly line: string
  readonly schema: JsonSchema
}

/** An object literal with every option, one to a line. */
function optionLines(schema: JsonSchema, prefix = ''): OptionLine[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const nested = [option, ...(option.anyOf ?? [])].flatMap((branch) => optionLines(branch, `${prefix}${name}.`))
    const path = `${prefix}${name}`
    if (nested.length === 0) return [{ path, line: `${name}: undefined as never,`, schema: option }]
    return [{ path, line: `${name}: {`, schema: option }, ...nested, { path: '', line: '},', schema: {} }]
  })
}

const CALLS = {
  'define.mts': "import { defineConfig } from 'unplugin-localization'\ndefineConfig({\n",
  'plugin.mts': "import localization from 'unplugin-localization/vite'\nlocalization({\n",
}
const lines = optionLines(optionsJsonSchema())
const body = `${lines.map(({ line }) => line).join('\n')}\n})\n`
let folder: string
let service: ReturnType<typeof ts.createLanguageService>

beforeAll(async () => {
  folder = await installIn([])
  await writeTree(folder, Object.fromEntries(Object.entries(CALLS).map(([name, head]) => [name, head + body])))
  const settings = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    types: [],
    strict: true,
  }
  service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => true,
    getCompilationSettings: () => settings,
    getScriptFileNames: () => Object.keys(CALLS).map((name) => join(folder, name)),
    getScriptVersion: () => '',
    getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(ts.sys.readFile(name) ?? ''),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  })
})

test.each(Object.entries(CALLS))('quick info shows meaning, unit and default of every option: %s', (name, head) => {
  const file = join(folder, name)
  const options = lines.flatMap(({ path, schema }, at) => {
    const place = lines.slice(0, at).reduce((sum, { line }) => sum + line.length + 1, head.length)
    return path === '' ? [] : [{ path, schema, place }]
  })
  expect(options.length).toBeGreaterThan(50)
  for (const { path, schema, place } of options) {
    const info = service.getQuickInfoAtPosition(file, place)
    const documentation = ts.displayPartsToString(info?.documentation)
    const text = (value: string) => value.replaceAll('*\\/', '*/').replace(/\s+/g, ' ')
    expect([path, text(documentation)]).toEqual([path, schema.description])
    if (path.endsWith('Ms')) expect([path, documentation]).toEqual([path, expect.stringContaining('in milliseconds')])
    const isSection = schema.type === 'object' && schema.properties !== undefined
    const tag = info?.tags?.find(({ name }) => name === 'default')
    const given = tag && ts.displayPartsToString(tag.text)
    if (schema.defaultText !== undefined) expect([path, text(given ?? '')]).toEqual([path, schema.defaultText])
    else if (schema.default === undefined || isSection) expect([path, given]).toEqual([path, undefined])
    else
      expect([path, JSON.stringify(schema.default)]).toEqual([
        path,
        text(given ?? '')
          .replaceAll("'", '"')
          .replaceAll(', ', ','),
      ])
  }
})
