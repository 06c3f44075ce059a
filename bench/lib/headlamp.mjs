/** The application headlamp, with its own loading of texts, or with this package as its maintainers would use it. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const original = join(import.meta.dirname, '../../../shared/apps/headlamp')
// Vite sets NODE_ENV to "production" in this process, with which npm leaves development dependencies out.
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--include=dev']

export const hasHeadlamp = existsSync(original)

const LOCALES = 'src/i18n/locales'
/** Names of its folders that are spelled otherwise in the app. */
const languageMap = { 'pt-br': 'pt-BR', 'pt-pt': 'pt-PT', 'zh-tw': 'zh-TW' }

/** Copies the app into an empty folder and installs its packages. */
export async function copyHeadlamp(folder) {
  await cp(original, folder, { recursive: true })
  // The original is read-only.
  for (const name of await readdir(folder, { recursive: true })) await chmod(join(folder, name), 0o755)
  await run('npm', ['ci', ...quiet], { cwd: folder })
}

/** The languages as the app spells them, with the bytes of their files. */
export async function languagesOf(folder) {
  const languages = []
  for (const name of await readdir(join(folder, LOCALES))) {
    let bytes = 0
    for (const file of await readdir(join(folder, LOCALES, name)))
      bytes += (await readFile(join(folder, LOCALES, name, file))).length
    languages.push({ language: languageMap[name] ?? name, bytes })
  }
  return languages
}

/**
 * Replaces the app's own loading: all edits that its maintainers would make. `tarball` is installed first; the other
 * options are those of the plugin.
 */
export async function useThePlugin(folder, { tarball, ...options }) {
  if (tarball) await run('npm', ['install', '--save-dev', ...quiet, tarball], { cwd: folder })
  await edit(folder, 'vite.config.ts', [
    [/^(import { defineConfig } from 'vite';)$/m, "import localization from 'unplugin-localization/vite';\n$1"],
    [/^( +)react\(\),$/m, '$&\n$1localization(),'],
  ])
  await edit(folder, 'src/i18n/config.ts', [
    [
      /^import { initReactI18next } .+$/m,
      "$&\nimport { createBackend } from 'unplugin-localization/i18next';\nimport * as translations from 'virtual:translations';",
    ],
    [/^const en = {}.+\n\n/m, ''],
    [/^ {2}\/\/ Use dynamic imports[\s\S]+?^ {2}}\)$/m, '  .use(createBackend(translations))'],
  ])
  await edit(folder, 'tsconfig.json', [[/"types": \[/, '"types": ["unplugin-localization/virtual", ']])
  const config = {
    files: `${LOCALES}/{language}/{namespace}.json`,
    languageMap,
    defaultLanguage: 'en',
    keySeparator: false,
    // i18next looks for the fallbacks, as before.
    fallback: false,
    ...options,
  }
  await writeFile(join(folder, 'localization.config.json'), `${JSON.stringify(config, null, 2)}\n`)
}

async function edit(folder, name, changes) {
  const path = join(folder, name)
  let code = await readFile(path, 'utf8')
  for (const [pattern, replacement] of changes) {
    if (!pattern.test(code)) throw new Error(`${name} has nothing like ${pattern}: has the app changed?`)
    code = code.replace(pattern, replacement)
  }
  await writeFile(path, code)
}

/**
 * Builds the app by its own configuration. Resolves to the seconds that it took, and to the modules that every page
 * loads, relative to the folder.
 */
export async function buildHeadlamp(folder) {
  await rm(join(folder, 'build'), { recursive: true, force: true })
  await writeFile(join(folder, 'vite.recorded.config.ts'), RECORDED)
  const startedAt = performance.now()
  const args = ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.recorded.config.ts']
  // The app's own script gives Node more memory too.
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=6144', NODE_ENV: 'production', CI: 'true' }
  await run(process.execPath, args, { cwd: folder, env, maxBuffer: 2 ** 26 })
  const firstModules = JSON.parse(await readFile(join(folder, 'build/first-modules.json'), 'utf8'))
  return { seconds: (performance.now() - startedAt) / 1000, firstModules }
}

const RECORDED = `
import { relative } from 'node:path';
import { mergeConfig } from 'vite';
import config from './vite.config';

const record = {
  name: 'record-first-modules',
  generateBundle(_options: unknown, bundle: Record<string, any>) {
    const first = new Set<string>();
    const visit = (name: string) => {
      if (first.has(name) || bundle[name]?.type !== 'chunk') return;
      first.add(name);
      for (const imported of bundle[name].imports) visit(imported);
    };
    for (const [name, { isEntry }] of Object.entries(bundle)) if (isEntry) visit(name);
    const modules = [...first].flatMap(name => bundle[name].moduleIds.map((id: string) => relative(__dirname, id)));
    (this as any).emitFile({ type: 'asset', fileName: 'first-modules.json', source: JSON.stringify(modules) });
  },
};

export default mergeConfig(config, { plugins: [record] });
`
