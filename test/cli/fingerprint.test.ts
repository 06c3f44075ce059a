/** `localization fingerprint` as a process. */
import { expect, test } from 'vitest'
import { fingerprintResult } from '../../src/cli/commands/fingerprint.ts'
import { runCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { freePort } from '../helpers/throwaway-server.ts'

const CONFIG = { 'localization.config.json': { source: 'hosting', environment: '_latest', namespaces: ['default'] } }

test('prints the same hash in every folder, until a text is published', async () => {
  const project = await startProject({ files: CONFIG, service: true })
  const publish = async (title: string) => {
    await project.importTexts('en', '', { title })
    await project.publish()
  }
  await publish('Cart')
  const { code, stdout, stderr } = await project.run('fingerprint')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[0-9a-f]{32}\n$/)

  const clone = await tempFolder()
  await writeTree(clone, CONFIG)
  const [here, there] = await Promise.all([
    project.start('fingerprint', '--json').run,
    runCli(['fingerprint', '--json'], { cwd: clone, env: project.env }),
  ])
  expect(here.stdout).toBe(there.stdout)
  const parsed = here.json(fingerprintResult)
  expect(`${parsed.fingerprint}\n`).toBe(stdout)
  await publish('Bags')
  const changed = (await project.run('fingerprint', '--json')).json(fingerprintResult)
  expect(changed.parts).toEqual({ ...parsed.parts, texts: expect.not.stringMatching(parsed.parts.texts) })
  expect(changed.fingerprint).not.toBe(parsed.fingerprint)
})

test('prints the reason and no hash if the service cannot tell', async () => {
  const project = await startProject({ files: CONFIG, service: true })
  const failures = [
    { env: project.env, reason: 'not published' },
    { env: { ...project.env, LOCALIZATION_API_KEY: 'wrong' }, reason: '403' },
    {
      env: { ...project.env, LOCALIZATION_BASE_URL: `http://127.0.0.1:${await freePort()}` },
      reason: 'ECONNREFUSED',
    },
  ]
  for (const { env, reason } of failures) {
    const { code, stdout, stderr } = await runCli(['fingerprint'], { cwd: project.root, env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(reason)
  }
})

test('reads published files without the address of the API', async () => {
  const project = await startProject({ files: CONFIG, service: true })
  await project.importTexts('en', '', { title: 'Cart' })
  await project.publish()
  const folder = await tempFolder()
  await writeTree(folder, {
    'localization.config.json': {
      source: 'hosting',
      environment: '_latest',
      service: { cdnUrl: project.cdnUrl, projectToken: project.projectToken },
    },
  })
  expect(await runCli(['fingerprint'], { cwd: folder })).toMatchObject({ code: 0, stderr: '' })
})

test('with the local service of the folder', async () => {
  const folder = await tempFolder()
  await writeTree(folder, {
    'localization.config.json': { service: { baseUrl: 'local' }, source: 'export' },
    'locales/en/app.json': { title: 'Cart' },
  })
  const run = () => runCli(['fingerprint'], { cwd: folder })
  const before = await run()
  expect(before).toMatchObject({ code: 0 })
  expect((await run()).stdout).toBe(before.stdout)
  expect(await runCli(['push'], { cwd: folder })).toMatchObject({ code: 0 })
  expect((await run()).stdout).not.toBe(before.stdout)
})
