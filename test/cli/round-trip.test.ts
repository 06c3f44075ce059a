/**
 * Real catalogs: import, pull into an empty folder, edit, push, publish; hosting shows it, and nothing else moved. The
 * playground's catalog; with `THOROUGH=1`, as in `.ci/run`, all of them.
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importResult } from '../../src/cli/commands/import.ts'
import { pullResult } from '../../src/cli/commands/pull.ts'
import { pushResult } from '../../src/cli/commands/push.ts'
import { startProject } from '../helpers/project.ts'
import { readRealCatalog, realCatalogs } from '../helpers/real-catalogs.ts'
import { repeats } from '../helpers/repeats.ts'

/** Every file below a folder, by its path. */
async function bytesIn(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

describe.each(repeats(realCatalogs.slice(0, 1), realCatalogs))('$name', (layout) => {
  test('goes to the service and back', { timeout: 240_000 }, async () => {
    const { files, keySeparator, folder: source, without } = layout
    const project = await startProject({
      files: {
        'localization.config.json': {
          files,
          keySeparator,
          ...(without.length > 0 && { languages: without.map((name) => `!${name}`) }),
        },
      },
      service: true,
    })
    const locales = join(project.root, 'locales')
    await cp(source, locales, { recursive: true })
    for (const name of without) await rm(join(locales, `${name}.json`))
    const catalog = await readRealCatalog(layout)
    const originals = await bytesIn(locales)

    const imported = (
      await project.run('import', ...[...originals.keys()].map((name) => `locales/${name}`), '--json', '--quiet')
    ).json(importResult)
    expect(imported.files).toHaveLength(originals.size)
    // The originals agree with what the service now has: nothing moves either way, not a byte.
    expect((await project.run('pull', '--json', '--quiet')).json(pullResult)).toMatchObject({ texts: 0, conflicts: [] })
    expect((await project.run('push', '--json', '--quiet')).json(pushResult)).toMatchObject({ texts: 0, conflicts: [] })
    expect(await bytesIn(locales)).toEqual(originals)

    await rm(locales, { recursive: true })
    await rm(join(project.root, '.localization'), { recursive: true, force: true })
    const pulled = (await project.run('pull', '--json', '--quiet')).json(pullResult)
    let expected = 0
    for (const byNamespace of catalog.values())
      for (const texts of byNamespace.values()) for (const text of texts.values()) if (text !== '') expected++
    expect(pulled).toMatchObject({ texts: expected, conflicts: [], left: 0 })
    const fresh = await bytesIn(locales)

    // One text, in its one line.
    const [file = '', before = ''] =
      [...fresh].find(([name, text]) => /(^|\/)en(\.json|\/)/.test(name) && text.length > 200) ?? []
    const [line = '', , value = ''] = /^\s*"((?:[^"\\]|\\.)+)": "([^"\\]{3,})",?$/m.exec(before) ?? []
    // The key may be the same sentence: the value is what comes last.
    const at = before.indexOf(line) + line.lastIndexOf(`"${value}"`)
    const edited = `${before.slice(0, at)}"Edited by hand"${before.slice(at + value.length + 2)}`
    await writeFile(join(locales, file), edited)
    const pushed = (await project.run('push', '--json', '--quiet')).json(pushResult)
    expect(pushed).toMatchObject({ via: 'patch', texts: 1, conflicts: [] })
    expect((await project.run('publish', '_latest', '_production', '--quiet')).code).toBe(0)

    const namespace = pushed.parts[0]?.namespace ?? ''
    const path = namespace === 'default' ? 'en' : `en/${encodeURIComponent(namespace)}`
    const hosted = await fetch(`${project.cdnUrl}/${project.projectToken}/_production/${path}`)
    expect(Object.values((await hosted.json()) as object)).toContain('Edited by hand')

    const after = (await project.run('pull', '--json', '--quiet')).json(pullResult)
    expect(after).toMatchObject({ texts: 0, files: [] })
    expect(await bytesIn(locales)).toEqual(new Map(fresh).set(file, edited))
  })
})
