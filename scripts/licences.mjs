// Lists the licences of everything that an install of this package brings along, copies in it included; ends with 1
// where one is unknown or asks for more than
// attribution. `--json` prints the list as data.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COPIED } from './copied.mjs'

/** Attribution at most. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
])

const root = join(import.meta.dirname, '..')
const found = new Map()
const { dependencies: installed, devDependencies = {} } = readPackage(root)
const copied = COPIED.filter((name) => Object.hasOwn(devDependencies, name))
const pending = [...Object.keys(installed), ...copied].map((name) => ({ name, from: root, optional: false }))
for (let next = pending.pop(); next; next = pending.pop()) {
  const folder = folderOf(next.name, next.from)
  if (!folder) {
    // A package for another system, or one that the user may bring.
    if (next.optional) continue
    throw new Error(`${next.name} is not installed: run npm ci`)
  }
  if (found.has(folder)) continue
  const { name, version, license, licenses, dependencies, optionalDependencies } = readPackage(folder)
  found.set(folder, { name, version, licence: license ?? licenses?.map(({ type }) => type).join(' AND ') ?? 'unknown' })
  for (const child of Object.keys(dependencies ?? {})) pending.push({ name: child, from: folder, optional: false })
  for (const child of Object.keys(optionalDependencies ?? {}))
    pending.push({ name: child, from: folder, optional: true })
}

const list = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
const refused = list.filter(({ licence }) => !isAllowed(licence))
if (process.argv.includes('--json')) console.log(JSON.stringify(list, null, 2))
else {
  for (const { name, version, licence } of list) console.log(`${licence.padEnd(14)} ${name}@${version}`)
  console.log(`${list.length} packages, ${refused.length} refused`)
}
for (const { name, version, licence } of refused) console.error(`refused: ${name}@${version} is ${licence}`)
process.exitCode = refused.length === 0 ? 0 : 1

/** `(MIT OR GPL-3.0)` leaves the choice; `MIT AND CC-BY-4.0` does not. */
function isAllowed(licence) {
  return licence
    .replace(/[()]/g, ' ')
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((one) => ALLOWED.has(one.trim())))
}

function folderOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return folder
    if (dirname(at) === at || at === root) return undefined
  }
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
