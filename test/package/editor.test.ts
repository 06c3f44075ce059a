/** What an editor shows of the options, as `tsserver` answers it. */
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type JsonSchema, optionsJsonSchema } from '../../scripts/options-source.ts'
import { installIn } from '../helpers/consumer.ts'
import { writeTree } from '../helpers/temp.ts'
import { startTsServer } from '../helpers/tsserver.ts'

vi.setConfig({ testTimeout: 300_000 })

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

test.each([
  ["import { defineConfig } from 'unplugin-localization'", 'defineConfig({'],
  ["import localization from 'unplugin-localization/vite'", 'localization({'],
])('quick info shows meaning, unit and default of every option: %s', async (head, call) => {
  const folder = await installIn([])
  const file = join(folder, 'configuration.mts')
  const lines = optionLines(optionsJsonSchema())
  await writeTree(folder, {
    'configuration.mts': [head, call, ...lines.map(({ line }) => line), '})', ''].join('\n'),
    // Without it the server takes the settings of long ago, under which no subpath is found.
    'tsconfig.json': { compilerOptions: { module: 'NodeNext', strict: true } },
  })
  const server = startTsServer(file)
  onTestFinished(() => server.close())
  const options = lines.flatMap(({ path, schema }, at) => (path === '' ? [] : [{ path, schema, line: at + 3 }]))
  expect(options.length).toBeGreaterThan(50)
  for (const { path, schema, line } of options) {
    const { documentation, tags } = await server.quickInfo({ line, offset: 1 })
    const text = (value: string) => value.replaceAll('*\\/', '*/').replace(/\s+/g, ' ')
    expect([path, text(documentation)]).toEqual([path, schema.description])
    if (path.endsWith('Ms')) expect([path, documentation]).toEqual([path, expect.stringContaining('in milliseconds')])
    const isSection = schema.type === 'object' && schema.properties !== undefined
    const given = tags.find(({ name }) => name === 'default')?.text
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
