/** Opens both sides of the project for one command, under the folder's lock if the command changes something. */
import { join } from 'node:path'
import type { Client } from '../api/client.ts'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import { partId, partOf } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, formatFinding } from '../errors.ts'
import { createFileIndex, type SeenFiles } from '../files/file-index.ts'
import { compareSnapshots } from '../files/snapshot.ts'
import { groupBy } from '../shared/split.ts'
import { ACTIONS } from '../sync/decide.ts'
import { createSyncLock, type SyncLock } from '../sync/lock.ts'
import type { ServiceText } from '../sync/page-texts.ts'
import { SyncProject } from '../sync/project.ts'
import type { TextRecord } from '../sync/records.ts'
import { Remote, type RemoteText } from '../sync/remote.ts'
import type { CommandContext } from './command.ts'
import { checkFilters, type FilterOptions, projectLanguages, scopeOf, withCustomers } from './filters.ts'
import { byName } from './summary.ts'

export type OpenProject = Awaited<ReturnType<typeof openProject>>

interface OpenProjectOptions {
  readonly filters: FilterOptions
  /** True if the command changes something. Otherwise, nothing on disk changes. */
  readonly change: boolean
  /** True if `service.texts` has every text. Otherwise, it has none. */
  readonly keepTexts?: boolean
  /** True if the filters are only checked, and `differences` returns all differences. */
  readonly wholeProject?: boolean
}

export async function openProject(context: CommandContext, options: OpenProjectOptions) {
  const { out } = context
  const given = withCustomers(await context.config(), options.filters)
  // A command syncs on request, so options that turn off sync in dev servers or in CI do not apply.
  const push = { create: true, concurrency: 8, holdAbove: 0, ...(given.push || {}) }
  const config: ResolvedConfig = Object.freeze({ ...given, push, pull: false })
  const scope = scopeOf(options.wholeProject ? {} : options.filters)
  const client = await context.client({ endsOnStop: false })
  const lock = createSyncLock(config.root)
  if (options.change) await takeFolder(lock, context)
  const access = options.change ? 'own' : 'read'
  const index = createFileIndex(config)
  const files: SeenFiles = { index, seen: index.snapshot }
  const project = new SyncProject({ config, files, client, logger: out.logger, access })
  /** Saves the records, and returns the folder to a dev server. */
  const close = async () => {
    try {
      if (options.change) await project.store.hold(project.records.holds())
      await project.close()
    } finally {
      await lock.release()
    }
  }
  try {
    await readFiles(files, context)
    const brokenFiles = reportFindings(files.seen.findings, context)
    await project.open()
    await project.store.followFiles(files.seen)
    const service = await readService(project, context, options.keepTexts === true)
    const parts = [...files.seen.parts()]
    await checkFilters(options.filters, {
      languages: [...service.languages, ...parts.map(({ language }) => language)],
      namespaces: [...service.namespaces, ...parts.map(({ namespace }) => namespace)],
      more: async () => (await projectLanguages(client, config))?.languages ?? [],
    })
    const brokenParts = brokenFiles.flatMap((file) => index.patterns.match(join(config.root, file)) ?? [])
    const broken = new Set(brokenParts.map(partId))
    const isInScope = ({ ref }: TextRecord) => scope.has(ref) && (broken.size === 0 || !broken.has(partId(ref)))
    return {
      config,
      scope,
      files,
      project,
      service,
      /** Files that cannot be read. `differences` leaves out their texts. */
      brokenFiles,
      /** The texts in scope that differ now, by name. When texts are sent or written later, these records change. */
      differences: () =>
        [...project.records.differences()].filter(isInScope).sort(({ ref: a }, { ref: b }) => byName(a, b)),
      async scan() {
        const before = files.seen
        files.seen = await index.scan()
        const { changes, found } = compareSnapshots(before, files.seen)
        await project.settle([...changes, ...found].map(({ ref }) => ref))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Takes the folder's sync records. From now on, no other process writes them. Throws SYNC_HELD. */
export function takeFolder(lock: SyncLock, { signal, out }: CommandContext): Promise<void> {
  return lock.borrow(signal, ({ pid, isCommand }) => {
    if (isCommand) out.logger.info(`waiting for process ${pid}: another command is running in this folder`)
  })
}

export function sortDifferences(differences: readonly TextRecord[]) {
  const stateIs = (state: TextRecord['state']) => differences.filter((text) => text.state === state)
  return {
    outgoing: differences.filter(({ state }) => ACTIONS[state] === 'send'),
    incoming: differences.filter(({ state }) => ACTIONS[state] === 'write'),
    conflicts: stateIs('conflict'),
    deletedHere: stateIs('deleted-here'),
    deletedThere: stateIs('deleted-there'),
  }
}

async function readFiles(files: SeenFiles, { out }: CommandContext): Promise<void> {
  const bar = out.bar({ label: 'reading the files', unit: 'files', isPassing: true })
  try {
    const onProgress = (done: number, total: number) => bar.update(done, done / total)
    files.seen = await files.index.scan({ everything: true, onProgress })
  } finally {
    bar.end()
  }
}

async function readService(project: SyncProject, { out, signal }: CommandContext, keepTexts: boolean) {
  const texts: RemoteText[] = []
  const figures = { requests: 0, languages: new Set<string>(), namespaces: new Set<string>(), texts }
  let read = 0
  const bar = out.bar({ label: 'reading the service', unit: 'texts', isPassing: true })
  try {
    figures.requests = await project.readAll(signal, (page, share) => {
      for (const text of page) {
        figures.languages.add(text.ref.language)
        figures.namespaces.add(text.ref.namespace)
        if (keepTexts) texts.push(text)
      }
      read += page.length
      bar.update(read, share)
    })
  } finally {
    bar.end()
  }
  return figures
}

export function reportFindings(found: readonly Diagnostic[], { out }: CommandContext): readonly string[] {
  for (const finding of found) if (finding.severity === 'warning') out.warn(formatFinding(finding))
  const errors = found.filter(({ severity }) => severity === 'error')
  for (const finding of errors.slice(0, 20)) out.logger.error(formatFinding(finding))
  return [...new Set(errors.flatMap(({ place }) => place?.file ?? []))]
}

export async function readServiceCatalog(
  client: Client,
  config: ResolvedConfig,
  signal: AbortSignal,
): Promise<Catalog> {
  const texts: ServiceText[] = []
  await new Remote(client, config).readAll(signal, (page) => texts.push(...page))
  return serviceCatalog(texts, client, config)
}

export async function serviceCatalog(
  texts: readonly ServiceText[],
  client: Client,
  config: ResolvedConfig,
): Promise<Catalog> {
  const isDefault = (await projectLanguages(client, config))?.defaultLanguage
  return createCatalog({
    languages: isDefault === undefined ? [] : [{ key: isDefault, name: isDefault, isDefault: true }],
    parts: groupBy(texts, ({ ref }) => partId(ref)).map((group) => ({
      ...partOf((group[0] as ServiceText).ref),
      messages: group.map(({ ref, text }) => [ref.key, text] as const),
    })),
  })
}
