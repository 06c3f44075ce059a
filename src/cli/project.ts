/** Opens both sides of the project for one command, under the folder's lock where the command changes something. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { partId } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatFinding, LocalizationError, messageOf } from '../errors.ts'
import { createFileIndex, type FileIndex } from '../files/file-index.ts'
import { type Agreement, hasSyncFolder, removeAgreed, writeAgreed } from '../sync/agreed.ts'
import { createSyncLock, findSyncHolder, tellSyncHolder } from '../sync/lock.ts'
import { createSyncProject, type SyncProject } from '../sync/project.ts'
import type { TextRecord } from '../sync/records.ts'
import type { RemoteText, SyncClient } from '../sync/remote.ts'
import { syncFolder } from '../sync/state-file.ts'
import type { CommandContext } from './command.ts'
import { checkFilters, type FilterOptions, type Scope, scopeOf, withCustomers } from './filters.ts'
import { projectLanguages } from './project-languages.ts'

export interface OpenProject {
  readonly config: ResolvedConfig
  readonly scope: Scope
  readonly files: FileIndex
  readonly project: SyncProject
  /** What the service has, whatever the scope. */
  readonly service: ServiceFigures
  /** Files that cannot be read; their texts are in no difference. */
  readonly brokenFiles: readonly string[]
  /** Every text in scope that differs now, by language, namespace and key. The records go on changing with what is sent and written. */
  differences(): TextRecord[]
  /** Takes in what was saved in files since. */
  scan(): Promise<void>
  /** Keeps what was found out, tells a dev server about it, and frees the folder. */
  close(): Promise<void>
}

export interface ServiceFigures {
  /** How many requests reading took. */
  readonly requests: number
  readonly languages: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
  /** Every text; without `keepTexts`, none. */
  readonly texts: readonly RemoteText[]
}

export interface OpenProjectOptions {
  readonly filters: FilterOptions
  /** The command changes something: it takes the folder's lock and keeps what it finds out. Otherwise nothing on the disk changes. */
  readonly change: boolean
  readonly keepTexts?: boolean
  /** The filters are only checked: `differences` gives all of them. */
  readonly wholeProject?: boolean
}

export async function openProject(context: CommandContext, options: OpenProjectOptions): Promise<OpenProject> {
  const { out, signal } = context
  const given = withCustomers(await context.config(), options.filters)
  // Whether a dev server may push, and whether this is continuous integration, is not what this command line asks.
  const config: ResolvedConfig = Object.freeze({
    ...given,
    push: { create: true, concurrency: 8, holdAbove: 0, ...(given.push || {}) },
    pull: false,
  })
  const scope = scopeOf(options.wholeProject ? {} : options.filters)
  const client = await context.client({ endsOnStop: false })
  const storage = await openStorage(config, options.change)
  const files = createFileIndex(config)
  const project = createSyncProject({
    config,
    folder: storage.folder,
    files,
    client: countingClient(client, out),
    logger: out.logger,
    exclusive: (work) => work(),
    trackBase: options.change && !storage.isOwn,
  })
  const close = async () => {
    try {
      if (storage.isOwn && options.change) await project.saveState()
      await project.close()
    } finally {
      await storage.close(project.base.changes())
    }
  }
  try {
    await files.scan({ everything: true })
    const brokenFiles = reportFindings(files, context)
    await project.open({ isReadNext: true })
    await project.records.followFiles()
    const { texts, requests } = await project.readAll(signal)
    const service = figuresOf(texts, requests, options.keepTexts === true)
    await checkFilters(options.filters, {
      languages: [...service.languages, ...Array.from(files.parts(), ({ language }) => language)],
      namespaces: [...service.namespaces, ...Array.from(files.parts(), ({ namespace }) => namespace)],
      more: async () => (await projectLanguages(client, config))?.languages ?? [],
    })
    const broken = new Set(
      brokenFiles.flatMap((file) => {
        const part = files.patterns.match(join(config.root, file))
        return part ? partId(part) : []
      }),
    )
    return {
      config,
      scope,
      files,
      project,
      service,
      brokenFiles,
      differences: () =>
        [...project.records.differences()].filter(({ ref }) => scope.has(ref) && !broken.has(partId(ref))).sort(byName),
      async scan() {
        const { changes, found } = await files.scan()
        await project.settle([...changes, ...found].map(({ ref }) => ref))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function reportFindings(files: FileIndex, { out }: CommandContext): readonly string[] {
  const found = files.findings()
  for (const finding of found) if (finding.severity === 'warning') out.warn(formatFinding(finding))
  const errors = found.filter(({ severity }) => severity === 'error')
  for (const finding of errors.slice(0, 20)) out.logger.error(formatFinding(finding))
  return [...new Set(errors.flatMap(({ place }) => place?.file ?? []))]
}

function figuresOf(texts: readonly RemoteText[], requests: number, keepTexts: boolean): ServiceFigures {
  const figures = { languages: new Set<string>(), namespaces: new Set<string>() }
  for (const { ref } of texts) {
    figures.languages.add(ref.language)
    figures.namespaces.add(ref.namespace)
  }
  return { requests, ...figures, texts: keepTexts ? texts : [] }
}

/** Says how far the reading is, where that takes long enough to wonder. */
function countingClient(client: SyncClient, out: CommandContext['out']): SyncClient {
  const { translations, keys, imports } = client
  return {
    keys,
    imports,
    get conditionalWrites() {
      return client.conditionalWrites
    },
    reserve: client.reserve,
    close: client.close,
    translations: {
      set: translations.set,
      query: translations.query,
      async *queryAll(...given) {
        let rows = 0
        let bar: ReturnType<typeof out.bar> | undefined
        try {
          for await (const row of translations.queryAll(...given)) {
            yield row
            rows++
            if (rows >= 5000 && rows % 500 === 0) {
              bar ??= out.bar({ label: 'read from the service', unit: 'texts' })
              bar.update(rows)
            }
          }
        } finally {
          bar?.update(rows)
          bar?.end()
        }
      },
    },
  }
}

function byName(a: TextRecord, b: TextRecord): number {
  for (const name of ['language', 'namespace', 'customer', 'key'] as const) {
    const [mine, other] = [a.ref[name] ?? '', b.ref[name] ?? '']
    if (mine !== other) return mine < other ? -1 : 1
  }
  return 0
}

/** Where base and outbox are: the project's folder under its lock; or a copy of the base, where another process syncs or nothing may change. */
async function openStorage(config: ResolvedConfig, change: boolean) {
  const folder = syncFolder(config)
  const lock = createSyncLock(config.root)
  if (change && (await lock.acquire()) === 'held') return { folder, isOwn: true, close: () => lock.release() }
  const copy = await mkdtemp(join(tmpdir(), 'localization-base-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    await copyFile(join(folder, 'base.jsonl'), join(copy, 'base.jsonl'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      await remove()
      throw new LocalizationError(messageOf(error), { code: 'FILE_READ', cause: error })
    }
  }
  return {
    folder: copy,
    isOwn: false,
    async close(changes: readonly Agreement[]) {
      await remove()
      if (change) await handOver(config.root, folder, changes)
    },
  }
}

/** Tells the dev server to look again, and what was agreed on: if the service changes before it has looked, it would not know. */
async function handOver(root: string, folder: string, changes: readonly Agreement[]): Promise<void> {
  // One that does not answer does not read it either.
  const isWanted = changes.length > 0 && (await hasSyncFolder(folder)) && (await findSyncHolder(root))?.pid
  // Where it cannot be written the dev server finds out by reading the service.
  const name = isWanted ? await writeAgreed(folder, changes).catch(() => undefined) : undefined
  try {
    await tellSyncHolder(root, 'refresh', name)
  } finally {
    if (name !== undefined) await removeAgreed(folder, name)
  }
}
