/** docs/build-cache.md: Nx and Turborepo from the registry, and the commands of its workflow for GitHub Actions. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { followBlock, runCommand } from '../helpers/follow-page.ts'
import { type CodeBlock, codeBlocks } from '../helpers/markdown.ts'
import { startProject } from '../helpers/project.ts'
import { npmInstall, packTarball } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PAGE = 'docs/build-cache.md'
const blocks = codeBlocks(PAGE, await readFile(join(repository, PAGE), 'utf8'))
const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}

/** An app that is built from hosting, and a service whose texts can change. */
async function startApp() {
  const project = await startProject({ service: { languages: [] } })
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': {
      name: 'app',
      private: true,
      type: 'module',
      packageManager: 'npm@10.0.0',
      scripts: { build: 'node count.js && vite build' },
      nx: {},
    },
    'localization.config.json': { source: 'hosting', environment: '_latest', defaultLanguage: 'en' },
    'count.js': "import { appendFileSync } from 'node:fs'\nappendFileSync('builds.log', 'built\\n')\n",
    'index.html': '<!doctype html><html lang="en"><body><script type="module" src="/main.js"></script></body></html>',
    'main.js': "import { load } from 'virtual:translations'\n\nconsole.log((await load('en')).title)\n",
    'vite.config.js':
      "import localization from 'unplugin-localization/vite'\nexport default { plugins: [localization()] }\n",
    '.gitignore': 'node_modules\ndist\nbuilds.log\n.localization*\n.nx\n.turbo\n',
  })
  const runners = ['nx@22', 'turbo@2']
  await npmInstall(root, '--save-dev', await packTarball(), `vite@${devDependencies.vite}`, ...runners)
  await runCommand('git init --quiet . && git add --all', { cwd: root })
  const env: Record<string, string> = {
    LOCALIZATION_BASE_URL: project.baseUrl,
    LOCALIZATION_CDN_URL: project.cdnUrl,
    LOCALIZATION_API_KEY: project.apiKey,
    // No process stays behind.
    NX_DAEMON: 'false',
    NX_CACHE_DIRECTORY: join(root, '.nx/cache'),
    TURBO_TELEMETRY_DISABLED: '1',
    CI: 'true',
  }
  return {
    root,
    env,
    stop: () => project.close(),
    async publish(title: string) {
      await project.importTexts('en', '', { title })
      await project.publish()
    },
    /** How many builds ran in all, and whether the output has the text. */
    async build(line: string, title: string) {
      await runCommand(line, { cwd: root, env })
      const files = await readdir(join(root, 'dist'), { recursive: true })
      const scripts = files.filter((name) => name.endsWith('.js'))
      const contents = await Promise.all(scripts.map((name) => readFile(join(root, 'dist', name), 'utf8')))
      expect(contents.join('\n')).toContain(title)
      return (await readFile(join(root, 'builds.log'), 'utf8')).split('\n').length - 1
    },
  }
}

test('Nx and Turborepo build again when a text was published, and only then', async () => {
  const app = await startApp()
  for (const section of ['Nx', 'Turborepo']) await followBlock(app.root, blockOf(section, 'json'))
  const lines = ['npx nx run app:build', blockOf('Turborepo', 'sh').code.trim()]
  let builds = 0
  for (const [index, line] of lines.entries()) {
    await app.publish(`Cart ${index}`)
    expect(await app.build(line, `Cart ${index}`)).toBe(builds + 1)
    expect(await app.build(line, `Cart ${index}`)).toBe(builds + 1)
    await app.publish(`Cart ${index}`)
    expect(await app.build(line, `Cart ${index}`)).toBe(builds + 1)
    await app.publish(`Bags ${index}`)
    expect(await app.build(line, `Bags ${index}`)).toBe(builds + 2)
    expect(await app.build(line, `Bags ${index}`)).toBe(builds + 2)
    // Back to the texts of the first build.
    await app.publish(`Cart ${index}`)
    builds = await app.build(line, `Cart ${index}`)
  }
  // Without the service, no runner takes the output from its cache.
  await app.stop()
  for (const line of lines) await expect(app.build(line, '')).rejects.toThrow('ended with 1')
})

test('the job of GitHub Actions stops without a hash', async () => {
  const job = blockOf('GitHub Actions', 'yaml').code
  const script = /- id: texts\n +run: \|\n((?: {10}.*\n)+)/.exec(job)?.[1] ?? ''
  expect(script).toContain('npx localization fingerprint')
  const root = await tempFolder()
  const output = join(root, 'output')
  // As the runner runs it.
  const run = (command: string) => {
    const steps = `set -e\n${script}`.replace('npx localization fingerprint', command)
    return runCommand(steps, { cwd: root, env: { GITHUB_OUTPUT: output } })
  }
  await run('echo 0a1b')
  expect(await readFile(output, 'utf8')).toBe('hash=0a1b\n')
  await expect(run('false')).rejects.toThrow('ended with 1')
})

function blockOf(section: string, language: string): CodeBlock {
  const found = blocks.find((block) => block.section === section && block.language === language)
  if (!found) throw new Error(`${PAGE} has no ${language} below ${section}`)
  return found
}
