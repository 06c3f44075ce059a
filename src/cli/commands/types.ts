/** `localization types`: the type declarations, without a build. */

import * as z from 'zod'
import { createTranslations, type Translations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { formatFinding } from '../../errors.ts'
import { displayPath } from '../../files/patterns.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import type { Paint } from '../text.ts'

export const typesResult = z.object({
  dryRun: z.boolean(),
  languages: z.array(z.string()),
  namespaces: z.array(z.string()),
  /** Of the default language. */
  keys: z.number().int(),
  files: z.array(
    z.object({
      file: z.string(),
      /** It had this content already. */
      current: z.boolean(),
      written: z.boolean(),
    }),
  ),
})
type Result = z.infer<typeof typesResult>

interface TypesCommandOptions {
  check?: boolean
  dryRun?: boolean
}

export const addTypes: AddCommand = (program, act) => {
  program
    .command('types')
    .summary('write type declarations of languages, namespaces, keys and placeholders')
    .description(
      "Write type declarations of languages, namespaces, keys and placeholders to the file of the option types, or to localization.d.ts. They are made of what a build would use: the service's texts, files filling the gaps.",
    )
    .option('--check', 'write nothing; exit with 1 when a declaration is not current')
    .option('--dry-run', 'only say what would be written')
    .addHelpText('after', examples('types', 'types --check'))
    .action(act(writeTypes))
}

async function writeTypes(context: CommandContext, { check, dryRun }: TypesCommandOptions) {
  if (check && dryRun) throw new UsageError('--check writes nothing: leave out --dry-run')
  const config = withTypes(await context.config())
  const [{ generateDeclarations }, { GENERATED_MARK }, { isCurrent, writeGenerated }] = await Promise.all([
    import('../../output/declarations.ts'),
    import('../../output/types.ts'),
    import('../../shared/generated-file.ts'),
  ])
  const translations = await loadTranslations(context, config, !check && !dryRun)
  const files: Result['files'] = []
  for (const { path, content } of generateDeclarations(translations, config)) {
    const current = await isCurrent(path, content)
    const written = !check && !dryRun && (await writeGenerated(path, content, GENERATED_MARK))
    files.push({ file: displayPath(config.root, path), current, written })
  }
  const { languages, namespaces } = translations
  const data: Result = {
    dryRun: dryRun === true,
    languages: languages.map(({ key }) => key),
    namespaces: [...namespaces],
    keys: namespaces.reduce((sum, namespace) => sum + translations.defaultMessages(namespace).size, 0),
    files,
  }
  return {
    data,
    failed: check === true && files.some(({ current }) => !current),
    text: (paint: Paint) => report(data, check === true, paint),
  }
}

/** Whoever runs the command wants them, even where the configuration does not. */
function withTypes(config: ResolvedConfig): ResolvedConfig {
  if (config.types) return config
  return Object.freeze({
    ...config,
    types: { file: `${config.root}/localization.d.ts`, i18next: false, vueI18n: false },
  })
}

async function loadTranslations(
  context: CommandContext,
  config: ResolvedConfig,
  saveSnapshot: boolean,
): Promise<Translations> {
  const [{ loadCatalog }, { createResourceCache }, { join }] = await Promise.all([
    import('../../sources/load.ts'),
    import('../../sources/resource-cache.ts'),
    import('node:path'),
  ])
  const missing = config.source === 'files' && config.service.missingVariables.join(' and ')
  if (missing) context.out.warn(`the service is not asked: ${missing} is not set. Only local files are read.`)
  const { catalog, diagnostics } = await loadCatalog({
    config,
    mode: 'build',
    saveSnapshot,
    logger: context.out.logger,
    signal: context.signal,
    now: () => new Date(),
    // The frame closes it.
    openClient: async () => ({ ...(await context.client()), close: async () => {} }),
    resourceCache: createResourceCache(join(config.root, '.localization', 'hosting')),
  })
  for (const diagnostic of diagnostics) context.out.warn(formatFinding(diagnostic))
  const translations = createTranslations(catalog, config)
  if (config.pseudo === false) return translations
  const { withPseudoLanguage } = await import('../../catalog/pseudo.ts')
  return withPseudoLanguage(translations, config.pseudo)
}

function report({ files, languages, namespaces, keys, dryRun }: Result, check: boolean, paint: Paint): string {
  const line = ({ file, current, written }: Result['files'][number]) => {
    if (current) return `${file}: current`
    if (written) return `${file}: ${paint('green', 'written')}`
    return `${file}: ${dryRun && !check ? 'would be written' : paint('red', 'not current: run localization types')}`
  }
  return [
    ...files.map(line),
    `${count(languages.length, 'language')}, ${count(namespaces.length, 'namespace')}, ${count(keys, 'key')}`,
  ].join('\n')
}
