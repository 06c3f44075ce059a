/** A project whose keys an editor looks up: its files, and the place of every use. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { type ServerOptions, startLanguageServer } from './language-server.ts'
import { runToSuccess } from './processes.ts'
import { writeTree } from './temp.ts'

const FILES = {
  'locales/en/common.json': '{\n  "title": "Hello",\n  "menu": { "open": "Open `x` */ {name}" }\n}\n',
  'locales/pl/common.json': { title: 'Witaj' },
  'locales/en/flat.json': '\uFEFF{\r\n\t"a.b": "@One",\r\n\t"it\'s \\"odd\\"": "Odd"\r\n}\r\n',
  'locales/en/list.yaml': '# a comment\nintro: One\ngroup:\n  long: |\n    Two\n    lines\n',
  'localization.config.json': {
    files: ['locales/{language}/{namespace}.json', 'locales/{language}/{namespace}.yaml'],
    defaultLanguage: 'en',
    shape: 'nested',
    types: 'localization.d.ts',
  },
  'tsconfig.json': {
    compilerOptions: {
      strict: true,
      module: 'ESNext',
      moduleResolution: 'Bundler',
      noEmit: true,
      types: [],
      lib: ['ES2022'],
    },
    include: ['*.ts', '*.vue'],
  },
}

/** A use, with `^` before the name that the editor asks about; the place of its key; and its documentation. */
const USES = [
  ['common.^title', 'locales/en/common.json', 2, 3, '`Hello`\n\npl: `Witaj`'],
  ['common.menu.^open', 'locales/en/common.json', 3, 13, '`` Open `x` *\\/ {name} ``'],
  ["common['^title']", 'locales/en/common.json', 2, 3, '`Hello`\n\npl: `Witaj`'],
  ['flat.a.^b', 'locales/en/flat.json', 2, 2, '`@One`'],
  ['flat["^it\'s \\"odd\\""]', 'locales/en/flat.json', 3, 2, '`Odd`'],
  ['list.^intro', 'locales/en/list.yaml', 2, 1, '`One`'],
  ['list.group.^long', 'locales/en/list.yaml', 4, 3, '`Two lines`'],
] as const

/** @param folder a folder with the package installed */
export async function checkKeysInEditor(folder: string, script: string, options: ServerOptions = {}) {
  const imports = ['common', 'flat', 'list'].map((name) => `import ${name} from 'virtual:translations/en/${name}'`)
  const uses = USES.map(([use]) => `console.log(${use.replace('^', '')})`)
  const before = options.vuePlugin ? ['<template><p>{{ common.title }}</p></template>', '<script setup lang="ts">'] : []
  const after = options.vuePlugin ? ['</script>', ''] : ['']
  const text = [...before, ...imports, ...uses, ...after].join('\n')
  const name = options.vuePlugin ? 'App.vue' : 'main.ts'
  await writeTree(folder, { ...FILES, [name]: text })
  const cli = join(folder, 'node_modules/unplugin-localization/dist/cli.js')
  await runToSuccess([process.execPath, cli, 'types'], { cwd: folder })
  const server = await startLanguageServer(script, options)
  try {
    const file = join(folder, name)
    await server.open(file, text)
    for (const [at, [use, path, line, column, documentation]] of USES.entries()) {
      const place = {
        file,
        line: before.length + imports.length + at + 1,
        column: `console.log(${use}`.indexOf('^') + 1,
      }
      expect([use, await server.definition(place)]).toEqual([use, [{ file: join(folder, path), line, column }]])
      expect([use, await server.hover(place)]).toEqual([use, expect.stringContaining(documentation)])
    }
  } finally {
    server.close()
  }
}
