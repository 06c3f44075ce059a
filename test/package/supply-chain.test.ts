/** What an install brings along, how it is released, and that what is promised about attackers is tested. */
import { execFile } from 'node:child_process'
import { cp, readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'

const run = promisify(execFile)
const read = (path: string) => readFile(join(repository, path), 'utf8')

/** The tests that prove the claims of the threat model: one for each claim that names the file. */
const PROOFS: Readonly<Record<string, readonly string[]>> = {
  'test/bundlers/secret-scan.test.ts': ['fails the build before anything is copied'],
  'test/cli/check.test.ts': ['placeholders, ICU, empty texts and limits'],
  'test/cli/commands.test.ts': ['control characters in a text do not reach the terminal'],
  'test/contract/service-credentials.test.ts': [
    'only the personal token opens them',
    'rotated with an overlap, and revoked',
  ],
  'test/contract/service-page.test.ts': ['holds no name, count or token of a project'],
  'test/faults/row-03-server-errors.test.ts': ['do not publish or make a project twice'],
  'test/faults/row-04-torn-bodies.test.ts': ['the snapshot stays byte for byte'],
  'test/faults/row-05-trickle.test.ts': ['a build ends'],
  'test/faults/row-07-too-large.test.ts': ['the build fails at the cap'],
  'test/faults/row-08-redirects.test.ts': ['do not follow the service elsewhere'],
  'test/faults/row-09-export-addresses.test.ts': ['is refused'],
  'test/faults/row-11-names.test.ts': ['one file in the folder', 'EN beside en'],
  'test/faults/row-12-prototype-names.test.ts': ['no prototype has changed'],
  'test/faults/row-13-script-ends.test.ts': ['script'],
  'test/faults/row-14-ill-formed.test.ts': ['name the place; nothing is sent'],
  'test/faults/row-16-nesting.test.ts': ['in an answer'],
  'test/faults/row-17-canary.test.ts': [
    'what the dev server sends',
    'fails when the app itself puts the key into its output',
  ],
  'test/faults/row-23-deletions.test.ts': ['a dev server, all of them'],
  'test/faults/row-24-both-sides.test.ts': ['a dev server'],
  'test/faults/row-27-long-sleep.test.ts': ['changes by someone else in the meantime are not overwritten'],
  'test/faults/row-29-private-files.test.ts': ['no spelling is answered with what the folder holds'],
  'test/frameworks/next.test.ts': ['a secret in the output ends the build'],
  'test/package/supply-chain.test.ts': ['a web page cannot use the local service'],
  'test/postgres/service.test.ts': ['a database that cannot be used'],
  'test/unit/api/client.test.ts': ['key'],
  'test/unit/config/resolve.test.ts': ['never in CI', 'is refused, whatever it holds'],
  'test/unit/files/edit.test.ts': ['do not follow a link out of the folder'],
  'test/unit/inspector/open-in-editor.test.ts': ['a link that leads out'],
  'test/unit/inspector/safety.test.ts': ['nothing is shown or written', 'source lines are shown only around a text'],
  'test/unit/long-texts.test.ts': ['trace: zeros'],
}

test('each claim of the threat model names a file, in which the test that proves it exists', async () => {
  const page = (await read('docs/threat-model.md')).replace(/\n {2}/g, ' ')
  const claims = page.split('\n').filter((line) => line.startsWith('- **'))
  expect(claims.length).toBeGreaterThan(30)
  const files = claims.map((claim) => /\(`(test\/\S+\.test\.ts)`\)$/.exec(claim)?.[1] ?? claim)
  expect(files.sort()).toEqual(Object.entries(PROOFS).flatMap(([file, titles]) => titles.map(() => file)))
  for (const [file, titles] of Object.entries(PROOFS)) {
    const source = await read(file)
    for (const title of titles) expect([title, source.includes(title)]).toEqual([title, true])
  }
})

/** What the command lists. */
let licences: string

beforeAll(async () => {
  licences = (await run(process.execPath, [join(repository, 'scripts/licences.mjs')])).stdout
})

test('every licence is known and asks for attribution at most', () => {
  expect(licences).toMatch(/^MIT +zod@/m)
  expect(licences).toMatch(/\d+ packages, 0 refused/)
})

test('a dependency of a dependency that asks for more, or says nothing, is refused', async () => {
  const folder = await tempFolder()
  for (const name of ['licences.mjs', 'copied.mjs'])
    await cp(join(repository, 'scripts', name), join(folder, 'scripts', name))
  const inner = ['GPL-3.0-only', '(MIT OR GPL-3.0-only)', 'MIT AND CC-BY-NC-4.0', undefined]
  const names = inner.map((_, i) => `inner-${i}`)
  const license = 'MIT'
  await writeTree(folder, {
    'package.json': { dependencies: { outer: '1' } },
    'node_modules/outer/package.json': {
      name: 'outer',
      version: '1.0.0',
      license,
      dependencies: Object.fromEntries(names.map((name) => [name, '1'])),
    },
    ...Object.fromEntries(
      names.map((name, i) => [`node_modules/${name}/package.json`, { name, version: '1.0.0', license: inner[i] }]),
    ),
  })
  const refused = await run(process.execPath, [join(folder, 'scripts/licences.mjs')]).catch(
    (error: { code: number; stderr: string }) => error,
  )
  expect(refused).toMatchObject({
    code: 1,
    stderr: [
      'refused: inner-0@1.0.0 is GPL-3.0-only\n',
      'refused: inner-2@1.0.0 is MIT AND CC-BY-NC-4.0\n',
      'refused: inner-3@1.0.0 is unknown\n',
    ].join(''),
  })
})

test('workflows: actions pinned to commits, no secrets, no more rights than needed', async () => {
  const names = await readdir(join(repository, '.github/workflows'))
  expect(names.sort()).toEqual(['ci.yml', 'nightly.yml', 'release.yml'])
  for (const name of names) {
    const workflow = await read(`.github/workflows/${name}`)
    const uses = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action)
    expect(uses.length).toBeGreaterThan(1)
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
    expect(workflow).not.toMatch(/secrets\.|pull_request_target/)
    expect(workflow).toMatch(/^permissions:/m)
    // What somebody else may write is never part of a script.
    expect(workflow).not.toMatch(/run:[^\n]*\$\{\{/)
  }
  expect(await read('.github/workflows/release.yml')).toContain('npm publish --provenance')
})

test('npm publish is refused while the repository has a placeholder, or homepage and bugs do not follow it', async () => {
  const manifest = JSON.parse(await read('package.json')) as Record<'scripts' | 'repository', Record<string, string>>
  expect(manifest.scripts.prepublishOnly).toMatch(/^node scripts\/repository\.mjs --publish && /)
  expect(manifest).toMatchObject({ publishConfig: { access: 'public', provenance: true }, license: 'MIT' })
  const folder = await tempFolder()
  await cp(join(repository, 'scripts/repository.mjs'), join(folder, 'scripts/repository.mjs'))
  const script = (...args: string[]) =>
    run(process.execPath, [join(folder, 'scripts/repository.mjs'), ...args]).catch(
      ({ stderr }: Error & { stderr: string }) => ({ stderr }),
    )
  const use = (owner: string) =>
    writeTree(folder, {
      'package.json': {
        ...manifest,
        repository: { type: 'git', url: `git+https://github.com/${owner}/unplugin-localization.git` },
      },
    })
  await use('OWNER')
  expect((await script('--publish')).stderr).toContain('"repository" still has the placeholder OWNER')
  await use('somebody')
  expect((await script('--publish')).stderr).toContain('"homepage" does not follow from "repository"')
  await script()
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    homepage: 'https://github.com/somebody/unplugin-localization#readme',
    bugs: { url: 'https://github.com/somebody/unplugin-localization/issues' },
  })
  expect((await script('--publish')).stderr).toBe('')
})

interface Bill {
  readonly bomFormat: string
  readonly components: readonly { readonly name: string; readonly group?: string; readonly version: string }[]
}

/** Names with versions. */
async function copiedPackages(): Promise<string[]> {
  const notices = await read('dist/THIRD-PARTY.txt')
  const copied = [...notices.matchAll(/^(\S+) (\d+\.\d+\.\d+)$/gm)].map(([, name, version]) => `${name}@${version}`)
  expect(notices.match(/Permission (?:is hereby granted|to use, copy, modify)/g)).toHaveLength(copied.length)
  return copied
}

test('what the package holds a copy of comes with its licence, and is listed like what it depends on', async () => {
  const copied = await copiedPackages()
  expect(copied.map((name) => name.replace(/@[^@]+$/, ''))).toEqual(
    expect.arrayContaining(['preact', 'unplugin', 'zod']),
  )
  for (const name of copied) expect(licences).toContain(` ${name}\n`)
})

testThoroughly('a bill of materials on request', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: repository, maxBuffer: 2 ** 26 })
  const { bomFormat, components } = JSON.parse(stdout) as Bill
  expect(bomFormat).toBe('CycloneDX')
  const { dependencies } = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> }
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)))
  expect(components.map(({ name }) => name)).not.toContain('vitest')
  const listed = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`)
  expect(listed).toEqual(expect.arrayContaining(await copiedPackages()))
})

/** As a browser sends it: the Host of the page's own name, its Origin, no credentials. */
function ask(address: string, options: { method?: string; headers?: Record<string, string> }) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = request(address, options, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
    })
    sent.on('error', reject)
    sent.end(options.method === 'POST' || options.method === 'PATCH' ? '{"name":"x","key":"x"}' : undefined)
  })
}

test('a web page cannot use the local service: no key, no leave', async () => {
  const { baseUrl } = await startProject({ service: true })
  const origin = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const [method, path] of [
    ['GET', '/api/v2/projects'],
    ['POST', '/api/v2/projects'],
    ['GET', '/api/v2/translations'],
    ['PATCH', '/api/v2/translations'],
    ['POST', '/api/v2/import'],
    ['POST', '/api/v2/environments/_latest/publish'],
  ] as const) {
    const { status, headers } = await ask(`${baseUrl}${path}`, { method, headers: origin })
    expect([method, path, [400, 401, 403].includes(status)]).toEqual([method, path, true])
    expect(headers['access-control-allow-origin']).toBeUndefined()
    // The question that a browser asks first, because of the header that holds the key.
    const preflight = await ask(`${baseUrl}${path}`, {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'x-service-token',
      },
    })
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined()
    expect(preflight.headers['access-control-allow-headers']).toBeUndefined()
  }
})
