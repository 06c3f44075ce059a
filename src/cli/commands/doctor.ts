/** `localization doctor` checks what support would ask about first. A check that throws is reported as an error. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { redactAddress } from '../../api/redact.ts'
import { checkEmptyLanguages, checkLanguages } from '../../catalog/check-languages.ts'
import { createTranslations } from '../../catalog/translations.ts'
import { missingVariablesError } from '../../config/problems.ts'
import { SOURCES } from '../../config/sources.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { formatPlace, LocalizationError, messageOf } from '../../errors.ts'
import { patternNames } from '../../files/patterns.ts'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../plugin/bundlers.ts'
import { count } from '../../shared/figures.ts'
import { packageVersion } from '../../shared/package-version.ts'
import { displayPath, foldersUp } from '../../shared/paths.ts'
import { type FilesResult, loadFromFiles } from '../../sources/files.ts'
import { type CommandContext, defineCommand, flag } from '../command.ts'
import { checkTypeScript, type Found } from '../doctor/typescript.ts'
import { detectFiles } from '../init/detect-files.ts'
import { detectBundler, readConfigs, readManifest, scriptsOf } from '../init/project.ts'
import { messageWithoutPlace } from '../text.ts'

const TONES = { ok: 'green', warning: 'yellow', error: 'red' } as const

export const doctorResult = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      level: z.enum(['ok', 'warning', 'error']),
      found: z.string(),
      /** The file, with line and column if they are known. */
      where: z.string().nullable(),
      hint: z.string().nullable(),
    }),
  ),
})

type Check = z.infer<typeof doctorResult>['checks'][number]

export const command = defineCommand({
  description:
    'Check versions, configuration, bundler, files, permissions, service and clock, and say what to do. ' +
    'Changes nothing and prints no secrets. Exits with 1 for an error.',
  examples: ['doctor', 'doctor --offline --json'],
  options: { offline: flag('do not contact the service') },
  result: doctorResult,
  async work(context, { offline }) {
    const checks = await examine(context, offline)
    const ok = checks.every(({ level }) => level !== 'error')
    return { data: { ok, checks }, failed: !ok }
  },
  text: ({ data: { checks } }, paint) =>
    checks
      .map(({ name, level, found, where, hint }) => {
        const place = where === null ? '' : ` (${where})`
        const first = `${paint(TONES[level], level.padEnd(7))} ${name}: ${found}${place}`
        return hint === null ? first : `${first}\n        ${hint}`
      })
      .join('\n'),
})

/** If the clocks differ by more than this, token expiry and the times in reports are wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 30_000
const MAX_LISTED_ERRORS = 5

type Add = (name: string, found: Found) => void
type Look = <T extends Found>(name: string, work: () => Promise<T> | T) => Promise<T | undefined>

async function examine(context: CommandContext, offline: boolean): Promise<Check[]> {
  const { root } = context.globals
  const checks: Check[] = []
  const add: Add = (name, found) => {
    checks.push({ name, level: 'ok', where: null, hint: null, ...found })
  }
  const look: Look = async (name, work) => {
    try {
      const { level = 'ok', found, where = null, hint = null, ...rest } = await work()
      add(name, { level, found, where, hint })
      return { level, found, ...rest } as Awaited<ReturnType<typeof work>>
    } catch (error) {
      add(name, failureOf(error))
      return undefined
    }
  }
  await look('Node.js', checkNode)
  await look('package', () => checkPackage(root))
  await look('bundler', () => checkBundler(root))
  const loaded = await look('configuration', () => load(context, add))
  if (!loaded) return checks
  const { config } = loaded
  const files = await look('files', () => checkFiles(config, add))
  await look('folder', () => checkFolder(config, files?.files))
  const types = checkTypeScript(config)
  if (types) add('TypeScript', types)
  await checkService(context, config, offline, look)
  await look('build', () => describeBuild(config, files?.files))
  return checks
}

function failureOf(error: unknown): Found {
  if (!(error instanceof LocalizationError)) return { level: 'error', found: messageOf(error) }
  const found = `${messageWithoutPlace(error)} [${error.code}]`
  return { level: 'error', found, where: formatPlace(error.place) || null, hint: error.hint ?? null }
}

async function load(context: CommandContext, add: Add) {
  const config = await context.config((found) => add('configuration', { level: 'warning', found }))
  const read = [...config.configDependencies].filter(([, content]) => content !== undefined)
  const shown = read.map(([path]) => displayPath(context.globals.root, path)).join(', ')
  const found =
    config.configFile === undefined ? 'no configuration file: using defaults and environment variables' : 'valid'
  return { config, found, where: shown || null }
}

async function checkFiles(config: ResolvedConfig, add: Add) {
  const files = await loadFromFiles(config)
  const errors = files.diagnostics.filter(({ severity }) => severity === 'error')
  for (const { message, hint = null, place } of errors.slice(0, MAX_LISTED_ERRORS))
    add('file', { level: 'error', found: message, where: formatPlace(place) || null, hint })
  const more = errors.length - MAX_LISTED_ERRORS
  if (more > 0) add('file', { level: 'error', found: `${more} more errors`, hint: 'Run `localization check`.' })
  const patterns = patternNames(config.files)
  if (files.list.length === 0) {
    const isNeeded = config.source === 'files'
    const detected = await detectFiles(config.root)
    const hint = detected
      ? `Translation files match ${detected.patterns.join(', ')}. Set the option "files" to this pattern.`
      : 'Check the option "files", or run `localization pull` if the service has the texts.'
    return {
      files,
      level: isNeeded ? ('error' as const) : ('warning' as const),
      found: `no file matches ${patterns}`,
      hint,
    }
  }
  const { languages, namespaces, defaultLanguage } = createTranslations(files.catalog, config)
  const { catalog } = files
  for (const { message, severity } of [
    ...checkLanguages(catalog.languages, config),
    ...checkEmptyLanguages(catalog, config),
  ])
    add('languages', { level: severity, found: message })
  const names = languages.map(({ key }) => key).join(', ')
  const figures = `${count(files.list.length, 'file')}, ${count(namespaces.length, 'namespace')}, languages ${names}`
  return { files, found: `${patterns}: ${figures}; the default is ${defaultLanguage}` }
}

/** Checks that commands and dev servers can write their files. */
async function checkFolder({ root }: ResolvedConfig, files: FilesResult | undefined): Promise<Found> {
  const folder = join(root, '.localization')
  const found = await stat(folder).catch(() => undefined)
  if (found && !found.isDirectory())
    return { level: 'error', found: 'not a folder', where: '.localization', hint: 'Move the file away.' }
  for (const path of [found ? folder : root, ...(files?.list ?? []).map(({ path }) => path)]) {
    const isWritable = await access(path, constants.W_OK).then(
      () => true,
      () => false,
    )
    if (!isWritable)
      return {
        level: 'error',
        found: 'not writable',
        where: displayPath(root, path) || '.',
        hint: 'Make it writable for the user who runs this command.',
      }
  }
  return { found: 'the translation files and .localization can be written' }
}

async function checkService(context: CommandContext, config: ResolvedConfig, offline: boolean, look: Look) {
  const { service } = config
  const address = service.baseUrl
  if (address === undefined) {
    const found = service.cdnUrl === undefined ? 'not configured' : 'only published files are configured'
    return look('service', () => ({ found }))
  }
  const missing = missingVariablesError(service.missingVariables)
  if (missing) return look('service', () => Promise.reject(missing))
  if (address === 'local') return look('service', () => ({ found: 'the local service, which starts on first use' }))
  const shown = redactAddress(new URL(address))
  if (offline) return look('service', () => ({ found: `${shown}, not contacted` }))
  let clock: Found | undefined
  const answered = await look('service', async () => {
    const client = await context.client()
    const before = Date.now()
    const onHeaders = (header: (name: string) => string | undefined) => {
      clock = compareClocks(before, Date.parse(header('date') ?? ''), Date.now())
    }
    await client.translations.query({ page: 0, size: 1 }, { onHeaders })
    return { found: `${shown} responds, and the API key can read; writing was not tested` }
  })
  if (answered && clock) await look('clock', () => clock as Found)
}

/** `Date` headers have whole seconds, so the service's clock may be up to one second ahead of its header. */
function compareClocks(before: number, service: number, after: number): Found {
  if (Number.isNaN(service)) return { found: 'the service does not send its time' }
  const difference = Math.max(0, before - service - 1000, service - after)
  const found = `${Math.round(difference / 1000)} s from the service's clock`
  if (difference <= MAX_CLOCK_DIFFERENCE_MS) return { found }
  return {
    level: 'warning',
    found,
    hint: "Synchronize this machine's clock (NTP): token expiry and times in reports depend on it.",
  }
}

const TEXTS_FROM = {
  export: "the service's export, with gaps filled from the files",
  query: "the service's texts, with gaps filled from the files",
  hosting: 'the published files',
  files: 'only the files',
}
const ON_FAILURE = { fail: 'fails', snapshot: 'uses the last good snapshot', files: 'uses the files' }

function describeBuild(config: ResolvedConfig, files: FilesResult | undefined): Found {
  const { source, onServiceError, prune, pseudo } = config
  const policies = onServiceError.build.map((policy) => ON_FAILURE[policy]).join(', else ')
  const parts = [
    `a build takes ${TEXTS_FROM[source]}`,
    ...(source === 'files' ? [] : [`if the service fails, the build ${policies}`]),
    prune === false ? 'every key is kept' : 'unused keys are left out',
    config.push === false ? 'a dev server sends nothing to the service' : 'a dev server sends edited texts',
    ...(pseudo ? [`the pseudo-language is ${pseudo}`] : []),
  ]
  const { address } = SOURCES[source]
  const isWithout = address !== undefined && config.service[address] === undefined
  if (isWithout) {
    const hint = `Set service.${address}, or set source: 'files'.`
    return { level: 'error', found: `the source '${source}' has no address`, hint }
  }
  const isEmpty = source === 'files' && files?.catalog.textCount === 0
  if (isEmpty) return { level: 'error', found: 'a build would have no texts', hint: 'See the "files" check.' }
  return { found: parts.join('; ') }
}

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
  const configs = await readConfigs(root, scriptsOf(readManifest(root)), tool)
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
  const differences = [0, 1, 2].map((at) => (a[at] ?? 0) - (b[at] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}
