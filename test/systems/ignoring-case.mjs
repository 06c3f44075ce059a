// `npm run test:case`: tests on a disk that ignores letter case, like those of macOS and Windows. It is an exFAT image,
// mounted through FUSE. It also lacks links, permissions, sockets and stable file numbers, and Linux caches the content
// of each spelling separately. Further arguments go to Vitest.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeBinary } from '../../scripts/node-binary.mjs'

const FILTERS = [
  ...['busy', 'commands', 'dev-session', 'letter-case'].map((name) => `systems/${name}`),
  ...['edit', 'file-index', 'formats', 'patterns'].map((name) => `unit/files/${name}`),
  'unit/sync/stores',
  'unit/service/lock',
  'mocked/files/',
  'mocked/shared/folder-id',
]
/** Not in Node 20, where the service uses SQLite as WebAssembly, which needs links. */
const WITH_SERVICE = ['systems/spellings']

const folder = mkdtempSync(join(tmpdir(), 'ignoring-case-'))
const image = join(folder, 'image')
const disk = mkdtempSync(join(tmpdir(), 'disk-'))
let device = ''
const run = (command, ...args) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim()

function mount() {
  writeFileSync(image, '')
  run('truncate', '-s', '256M', image)
  run('mkfs.exfat', image)
  device = run('losetup', '-f', '--show', image)
  run('mount.exfat-fuse', device, disk)
}

try {
  mount()
  writeFileSync(join(disk, 'name'), '')
  if (!existsSync(join(disk, 'NAME'))) throw new Error('the disk distinguishes names that differ in case alone')
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
  const given = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
  const args = ['run', '--project', 'systems', '--project', 'unit', '--project', 'mocked']
  const env = { ...process.env, TMPDIR: disk }
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
  const test = (node, filters) =>
    spawnSync(node, [vitest, ...args, ...options, ...filters], { env, stdio: 'inherit' }).status ?? 1
  process.exitCode =
    given.length > 0
      ? test(process.execPath, given)
      : test(process.execPath, FILTERS) || test(nodeBinary('22'), WITH_SERVICE)
} catch (error) {
  // Without the right to mount, or without Debian's packages exfat-fuse and exfatprogs.
  console.log(`skipped: a disk that ignores letter case (${error.stderr?.toString().trim() || error.message})`)
} finally {
  spawnSync('umount', [disk])
  if (device !== '') spawnSync('losetup', ['-d', device])
  rmSync(folder, { recursive: true, force: true })
  rmSync(disk, { recursive: true, force: true })
}
