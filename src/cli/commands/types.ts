/** `localization types` writes the type declarations without a build. */
import { join } from 'node:path'
import * as z from 'zod'
import { withPseudoLanguage } from '../../catalog/pseudo.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { SOURCES } from '../../config/sources.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { formatFinding } from '../../errors.ts'
import { generateDeclarations } from '../../output/declarations.ts'
import { declarationMapPath, generateDeclarationMap } from '../../output/declared-keys.ts'
import { GENERATED_MARK } from '../../output/types.ts'
import { count } from '../../shared/figures.ts'
import { isCurrent, writeDeclarationMap, writeGenerated } from '../../shared/generated-file.ts'
import { displayPath } from '../../shared/paths.ts'
import { loadCatalog } from '../../sources/load.ts'
import { readKeyPlaces } from '../../sources/locate.ts'
import { createResourceCache } from '../../sources/resource-cache.ts'
import { type CommandContext, defineCommand, flag, UsageError } from '../command.ts'
import { checkTypeScript } from '../doctor/typescript.ts'

export const typesResult = z.object({
  dryRun: z.boolean(),
  languages: z.array(z.string()),
  namespaces: z.array(z.string()),
  /** The number of keys in the default language. */
  keys: z.number().int(),
  files: z.array(
    z.object({
      file: z.string(),
      /** True if the file already had this content. */
      current: z.boolean(),
      written: z.boolean(),
    }),
  ),
})

export const command = defineCommand({
  description:
    'Write type declarations for languages, namespaces, keys and placeholders to the file in the option "types", or ' +
    'to localization.d.ts. They describe the texts of a build.',
  examples: ['types', 'types --check'],
  options: {
    check: flag('write nothing; exit with 1 if a declaration is out of date'),
    dryRun: flag('only show what would be written'),
  },
  result: typesResult,
  async work(context, { check, dryRun }) {
    if (check && dryRun) throw new UsageError('--check and --dry-run cannot be used together')
    const config = withTypes(await context.config())
    const writes = !check && !dryRun
    const { translations, loaded } = await loadTranslations(context, config, writes)
    const placeOf = await readKeyPlaces(config, translations, loaded.files)
    const files = []
    for (const { path, content, keys } of generateDeclarations(translations, config)) {
      const current = await isCurrent(path, content)
      const written = writes && (await writeGenerated(path, content, GENERATED_MARK))
      if (writes) await writeDeclarationMap(declarationMapPath(path), generateDeclarationMap(path, keys, placeOf))
      files.push({ file: displayPath(config.root, path), current, written })
    }
    const { level, found, where, hint } = checkTypeScript(config) ?? {}
    if (level !== undefined) context.out.warn(`${where}: ${found}. ${hint}`)
    const { languages, namespaces } = translations
    const data = {
      dryRun,
      languages: languages.map(({ key }) => key),
      namespaces,
      keys: namespaces.reduce((sum, namespace) => sum + translations.defaultMessages(namespace).size, 0),
      files,
    }
    return { data, failed: check && files.some(({ current }) => !current) }
  },
  text({ data: { files, languages, namespaces, keys, dryRun } }, paint) {
    const missing = dryRun ? 'would be written' : paint('red', 'out of date: run localization types')
    const lines = files.map(({ file, current, written }) => {
      if (written) return `${file}: ${paint('green', 'written')}`
      return `${file}: ${current ? 'current' : missing}`
    })
    const figures = [count(languages.length, 'language'), count(namespaces.length, 'namespace'), count(keys, 'key')]
    return [...lines, figures.join(', ')].join('\n')
  },
})

/** The command writes declarations even if the option `types` is off. */
function withTypes(config: ResolvedConfig): ResolvedConfig {
  const types = { file: `${config.root}/localization.d.ts`, i18next: false, vueI18n: false }
  return config.types ? config : Object.freeze({ ...config, types })
}

async function loadTranslations(context: CommandContext, config: ResolvedConfig, saveSnapshot: boolean) {
  const { out, signal } = context
  const missing = SOURCES[config.source].address === undefined && config.service.missingVariables.join(' and ')
  if (missing) out.warn(`the service is not read: ${missing} is not set. Only local files are read.`)
  const loaded = await loadCatalog({
    config,
    mode: 'build',
    saveSnapshot,
    logger: out.logger,
    signal,
    now: () => new Date(),
    // The caller closes the client.
    openClient: async () => ({ ...(await context.client()), close: async () => {} }),
    resourceCache: createResourceCache(join(config.root, '.localization', 'downloads')),
  })
  for (const diagnostic of loaded.diagnostics) out.warn(formatFinding(diagnostic))
  const real = assertPrefix(createTranslations(loaded.catalog, config))
  return { translations: config.pseudo === false ? real : withPseudoLanguage(real, config.pseudo), loaded }
}
