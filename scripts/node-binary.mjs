// Another version of Node, from the package registry. A temporary folder keeps it for the next run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of the newest Node with this major version. */
export function nodeBinary(major) {
  const folder = join(tmpdir(), `unplugin-localization-node-${major}`)
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', `${platform}@${major}`], {
    cwd: folder,
    stdio: 'ignore',
  })
  return join(folder, 'node_modules', platform, 'bin', 'node')
}
