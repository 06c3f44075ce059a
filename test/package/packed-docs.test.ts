/**
 * Whoever installs the package has its README.md and `docs/`, and no repository: each link leads to something in the
 * tarball. README's pictures are only in the repository.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { packTarball } from '../helpers/tarball.ts'
import { tempFolder } from '../helpers/temp.ts'

test('relative links and their anchors resolve, and every page is in the index', async () => {
  const folder = await tempFolder()
  await promisify(execFile)('tar', ['-xzf', await packTarball(), '-C', folder, '--strip-components=1'])
  const files = (await readdir(folder, { recursive: true })).map((path) => path.replaceAll('\\', '/'))
  const pages = new Map<string, string>()
  for (const path of files.filter((name) => name === 'README.md' || /^docs\/.+\.md$/.test(name)))
    pages.set(path, await readFile(join(folder, path), 'utf8'))
  expect(pages.size).toBeGreaterThan(15)

  const broken: string[] = []
  let links = 0
  for (const [page, markdown] of pages) {
    for (const [link, path, anchor] of relativeLinks(markdown)) {
      if (path.startsWith('pictures/')) continue
      links++
      const target = path === '' ? page : posix.join(posix.dirname(page), path)
      const text = pages.get(target)
      if (!files.includes(target.replace(/\/$/, ''))) broken.push(`${page}: ${link}: no such file`)
      else if (anchor !== undefined && !(text !== undefined && anchors(text).has(anchor)))
        broken.push(`${page}: ${link}: no such heading`)
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(50)

  const index = [...relativeLinks(pages.get('docs/README.md') ?? '')].map(([, path]) => posix.join('docs', path))
  expect([...pages.keys()].filter((page) => page !== 'README.md' && page !== 'docs/README.md').sort()).toEqual(
    index.filter((page) => page.startsWith('docs/')).sort(),
  )
})

test('each picture of README.md is there, light and dark, and small', async () => {
  const readme = await readFile(join(repository, 'README.md'), 'utf8')
  const shown = [...readme.matchAll(/(?:src|srcset)="(pictures\/[^"]+)"/g)].map(([, path = '']) => path)
  const names = ['alt-click', 'edit', 'inspector'].flatMap((name) => [`${name}-dark.webp`, `${name}-light.webp`])
  expect(shown.map((path) => posix.basename(path)).sort()).toEqual(names)
  expect((await readdir(join(repository, 'pictures'))).sort()).toEqual(names)
  for (const path of shown) {
    const { size } = await stat(join(repository, path))
    expect(size, path).toBeGreaterThan(5000)
    expect(size, path).toBeLessThan(150_000)
  }
})

/** Each link that names no scheme: as it stands, its path, its anchor. */
function relativeLinks(markdown: string): [link: string, path: string, anchor: string | undefined][] {
  const prose = markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '')
  const targets = [
    ...prose.matchAll(/\]\(([^)\s]+)\)/g),
    ...prose.matchAll(/^ *\[[^\]]+\]: *(\S+)/gm),
    ...prose.matchAll(/(?:href|src)="([^"]+)"/g),
  ].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#')
      return [target, path, anchor]
    })
}

/** The names that Markdown renderers give headings. */
function anchors(markdown: string): Set<string> {
  const found = new Set<string>()
  for (const [, heading = ''] of markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const name = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    for (let i = 0; ; i++) {
      const numbered = i === 0 ? name : `${name}-${i}`
      if (found.has(numbered)) continue
      found.add(numbered)
      break
    }
  }
  return found
}
