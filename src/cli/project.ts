/** Opens the files and the service for one command. If the command changes anything, it holds the folder's lock. */
import { join } from 'node:path'
import type { Client } from '../api/client.ts'
import { createCatalog } from '../catalog/model.ts'
import { type PartRef, partId, partOf } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, formatFinding } from '../errors.ts'
import { FileIndex, type SeenFiles } from '../files/file-index.ts'
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

/**
 * @param change if false, the command changes nothing on disk
 * @param keepTexts if true, `service.texts` contains all texts; otherwise it is empty
 */
export async function openProject(context: CommandContext, filters: FilterOptions, change: boolean, keepTexts = false) {
  const { out } = context
  const given = withCustomers(await context.config(), filters)
  // The user requested this sync, so options that disable automatic sync do not apply.
  const push = { create: true, concurrency: 8, holdAbove: 0, ...(given.push || {}) }
  const config: ResolvedConfig = Object.freeze({ ...given, push, pull: false })
  const scope = scopeOf(filters)
  const client = await context.client({ endsOnStop: false })
  const lock = createSyncLock(config.root)
  if (change) await takeFolder(lock, context)
  const access = change ? 'own' : 'read'
  const index = new FileIndex(config)
  const files: SeenFiles = { index, seen: index.snapshot }
  const project = new SyncProject({ config, files, logger: out.logger }, client, access)
  /** Saves the records and releases the lock, so that a dev server can sync again. */
  const close = async () => {
    try {
      if (change) await project.store.hold(project.records.holds())
      await project.close()
    } finally {
      await lock.release()
    }
  }
  try {
    // Without the lock, `pull` may be writing. It writes the files first, so older records than files invent no edit.
    await project.open()
    await readFiles(files, context)
    const brokenFiles = reportFindings(files.seen.findings, context)
    await project.store.followFiles(files.seen)
    const service = await readService(project, context, keepTexts)
    const parts = [...files.seen.parts()]
    await checkFilters(
      filters,
      [...service.languages, ...parts.map(({ language }) => language)],
      [...service.namespaces, ...parts.map(({ namespace }) => namespace)],
      async () => (await projectLanguages(client, config))?.languages ?? [],
    )
    const brokenParts = brokenFiles.map((file) => index.patterns.match(join(config.root, file)))
    const broken = new Set(brokenParts.map((part) => part && partId(part)))
    // No pattern matches an unreadable folder, which may contain any file that was not found.
    const isKnown = (part: PartRef) =>
      !broken.has(partId(part)) && (!broken.has(undefined) || files.seen.fileOf(part) !== undefined)
    const isInScope = ({ ref }: TextRecord) => scope.has(ref) && (broken.size === 0 || isKnown(ref))
    return {
      config,
      scope,
      files,
      project,
      service,
      /** Files that cannot be parsed, and unreadable folders. `differences` omits their texts. */
      brokenFiles,
      /** The texts in scope that differ now, sorted by name. Sending or writing texts changes these records. */
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

/** Takes the lock, so that no other process writes the folder's sync records. Throws SYNC_HELD. */
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

export async function readServiceCatalog(client: Client, config: ResolvedConfig, signal: AbortSignal) {
  const texts: ServiceText[] = []
  await new Remote(client, config).readAll(signal, (page) => texts.push(...page))
  return serviceCatalog(texts, client, config)
}

export async function serviceCatalog(texts: readonly ServiceText[], client: Client, config: ResolvedConfig) {
  const isDefault = (await projectLanguages(client, config))?.defaultLanguage
  return createCatalog({
    languages: isDefault === undefined ? [] : [{ key: isDefault, name: isDefault, isDefault: true }],
    parts: groupBy(texts, ({ ref }) => partId(ref)).map((group) => ({
      ...partOf((group[0] as ServiceText).ref),
      messages: group.map(({ ref, text }) => [ref.key, text] as const),
    })),
  })
}
