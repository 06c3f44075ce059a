/** Checks the versions of Node.js, this package and the bundler, and whether the bundler uses the plugin. */
import { join } from 'node:path'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../plugin/bundlers.ts'
import { packageVersion } from '../../shared/package-version.ts'
import { foldersUp } from '../../shared/paths.ts'
import { detectBundler, readConfigs, readManifest, readProject } from '../init/project.ts'
import type { Found } from './typescript.ts'

const NODE_RANGE = '^20.19.0 || >=22.12.0'
const PACKAGE = 'unplugin-localization'

export function checkNode(): Found {
  const { version } = process
  if (isInRange(version, NODE_RANGE)) return { found: `${version} on ${process.platform} ${process.arch}` }
  return { level: 'error', found: `${version} is not supported`, hint: `Use Node.js ${NODE_RANGE}.` }
}

export async function checkPackage(root: string): Promise<Found> {
  const running = packageVersion()
  const installed = await installedVersion(root, PACKAGE)
  if (installed === undefined)
    return {
      level: 'warning',
      found: `${running} is running, but it is not installed in the project`,
      hint: `Install it: npm install --save-dev ${PACKAGE}`,
    }
  if (installed === running) return { found: running }
  return {
    level: 'warning',
    found: `${running} is running, but the project has ${installed}`,
    hint: "Run the project's version: npx localization in its folder.",
  }
}

export async function checkBundler(root: string): Promise<Found> {
  const tool = await detectBundler(root)
  if (tool === undefined) return { found: 'none found' }
  if (tool === 'metro') return { found: 'Metro takes no plugins', hint: 'Use `localization generate`.' }
  const { title, name, versions } = infoOf(tool)
  const configs = await readConfigs(root, (await readProject(root, tool)).scripts, tool)
  const [where = null] = configs.keys()
  const installed = await installedVersion(root, name)
  if (installed !== undefined && versions !== undefined && !isInRange(installed, versions))
    return { level: 'error', where, found: `${title} ${installed} is not supported`, hint: `Use ${name} ${versions}.` }
  const shown = `${title} ${installed ?? '(not installed)'}`
  if (configs.size > 0 && ![...configs.values()].some((text) => text.includes(PACKAGE))) {
    const from = `${PACKAGE}/${tool}`
    const hint = `Import it from '${from}' and add it to the plugins, unless another file does.`
    return { level: 'warning', where, found: `${shown} does not use the plugin`, hint }
  }
  return { where, found: shown }
}

function infoOf(tool: BundlerName | 'next'): { title: string; name: string; versions: string | undefined } {
  const known = BUNDLER_NAMES.find((name) => name === tool)
  if (known === undefined) return { title: 'Next.js', name: 'next', versions: '^15.4.0 || ^16.0.0' }
  const { title, package: name, versions } = BUNDLERS[known]
  return { title, name, versions }
}

/** Reads package.json from the nearest `node_modules`. `import` may fail, because `exports` can hide that file. */
async function installedVersion(root: string, name: string): Promise<string | undefined> {
  for (const folder of foldersUp(root)) {
    const manifest = readManifest(join(folder, 'node_modules', name))
    if (typeof manifest?.version === 'string') return manifest.version
  }
  return undefined
}

/** Supports the operators that the ranges in `BUNDLERS` use: `^`, `>=`, `<` and `||`. */
function isInRange(version: string, range: string): boolean {
  const own = numbersOf(version)
  return range.split('||').some((part) =>
    part
      .trim()
      .split(/\s+/)
      .every((comparator) => {
        const [, operator, bound = ''] = /^(\^|>=|<)(.*)$/.exec(comparator) ?? []
        const other = numbersOf(bound)
        if (operator === '<') return compare(own, other) < 0
        return compare(own, other) >= 0 && (operator !== '^' || own[0] === other[0])
      }),
  )
}

function numbersOf(version: string): number[] {
  return (version.match(/\d+/g) ?? []).slice(0, 3).map(Number)
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
