import { spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const OUTPUTS = ['index.js', 'vite.js', 'client.js', 'service.js']

/** Builds `dist` when it is not there or older than its source. A folder's time tells of files that came or went. */
export async function buildPackage(say) {
  const [built, changed] = await Promise.all([builtAt(), changedAt()])
  if (built >= changed) return
  say('building dist ...')
  await run('npm', ['run', '--silent', 'build'])
}

async function builtAt() {
  const times = await Promise.all(OUTPUTS.map((name) => timeOf(join(root, 'dist', name))))
  return Math.min(...times)
}

async function changedAt() {
  const entries = await readdir(join(root, 'src'), { recursive: true })
  const paths = ['src', 'rolldown.config.ts', 'tsup.config.ts', ...entries.map((name) => join('src', name))]
  return Math.max(...(await Promise.all(paths.map((path) => timeOf(join(root, path))))))
}

/** 0 where there is nothing. */
function timeOf(path) {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

/** Quiet while it works; what it said is shown when it fails. */
function run(command, commandArguments) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, commandArguments, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    let talk = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        talk += text
      })
    }
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${talk.trim()}\nbuilding dist failed`))))
  })
}
