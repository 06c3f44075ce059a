/** Opens both sides of the project for one command, under the folder's lock where the command changes something. */
import { join } from 'node:path'
import { partId } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatFinding } from '../errors.ts'
import { createFileIndex, type FileIndex } from '../files/file-index.ts'
import { askToRefresh, createSyncLock } from '../sync/lock.ts'
import { SyncProject } from '../sync/project.ts'
import type { RemoteText } from '../sync/remote.ts'
import { syncFolder } from '../sync/state-file.ts'
import type { TextRecord } from '../sync/text-record.ts'
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
  /**
   * Texts in scope that differ now, by language, namespace and key. The records go on changing with what is sent and
   * written.
   */
  differences(wanted?: (record: TextRecord) => boolean): TextRecord[]
  /** Takes in what was saved in files since. */
  scan(): Promise<void>
  /** Keeps what was found out, tells a dev server about it, and frees the folder. */
  close(): Promise<void>
}

/** What reading the service brought. */
export interface ServiceFigures {
  requests: number
  readonly languages: Set<string>
  readonly namespaces: Set<string>
  /** Every text; without `keepTexts`, none. */
  readonly texts: RemoteText[]
}

export interface OpenProjectOptions {
  readonly filters: FilterOptions
  /**
   * The command changes something: it takes the folder's lock and keeps what it finds out. Otherwise nothing on the
   * disk changes.
   */
  readonly change: boolean
  readonly keepTexts?: boolean
  /** The filters are only checked: `differences` gives all of them. */
  readonly wholeProject?: boolean
}

export async function openProject(context: CommandContext, options: OpenProjectOptions): Promise<OpenProject> {
  const { out } = context
  const given = withCustomers(await context.config(), options.filters)
  // Whether a dev server may push, and whether this is continuous integration, is not what this command line asks.
  const push = { create: true, concurrency: 8, holdAbove: 0, ...(given.push || {}) }
  const config: ResolvedConfig = Object.freeze({ ...given, push, pull: false })
  const scope = scopeOf(options.wholeProject ? {} : options.filters)
  const client = await context.client({ endsOnStop: false })
  const lock = createSyncLock(config.root)
  // Beside a dev server, which has the lock and keeps the base, what is found out is appended to its base.
  const access = !options.change ? 'read' : (await lock.acquire()) === 'held' ? 'own' : 'append'
  const files = createFileIndex(config)
  const exclusive = <T>(work: () => Promise<T>) => work()
  const folder = syncFolder(config)
  const project = new SyncProject({ config, folder, files, client, logger: out.logger, exclusive, access })
  const close = async () => {
    try {
      if (access === 'own') await project.waiting.save()
      await project.close()
    } finally {
      await lock.release()
      if (access === 'append') await askToRefresh(config.root)
    }
  }
  try {
    await files.scan({ everything: true })
    const brokenFiles = reportFindings(files, context)
    await project.open({ isReadNext: true })
    await project.records.followFiles()
    const service = await readService(project, context, options.keepTexts === true)
    const parts = [...files.parts()]
    await checkFilters(options.filters, {
      languages: [...service.languages, ...parts.map(({ language }) => language)],
      namespaces: [...service.namespaces, ...parts.map(({ namespace }) => namespace)],
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
      differences(wanted = () => true) {
        const found: TextRecord[] = []
        for (const record of project.records.differences())
          if (wanted(record) && scope.has(record.ref) && !broken.has(partId(record.ref))) found.push(record)
        return found.sort(byName)
      },
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

/** Reads everything, and shows how far that is where it takes long enough to wonder. */
async function readService(project: SyncProject, { out, signal }: CommandContext, keepTexts: boolean) {
  const figures: ServiceFigures = { requests: 0, languages: new Set(), namespaces: new Set(), texts: [] }
  let read = 0
  let bar: ReturnType<typeof out.bar> | undefined
  try {
    figures.requests = await project.readAll(signal, (texts) => {
      for (const text of texts) {
        figures.languages.add(text.ref.language)
        figures.namespaces.add(text.ref.namespace)
        if (keepTexts) figures.texts.push(text)
      }
      read += texts.length
      if (read >= 5000) bar ??= out.bar({ label: 'read from the service', unit: 'texts' })
      bar?.update(read)
    })
  } finally {
    bar?.end()
  }
  return figures
}

function reportFindings(files: FileIndex, { out }: CommandContext): readonly string[] {
  const found = files.findings()
  for (const finding of found) if (finding.severity === 'warning') out.warn(formatFinding(finding))
  const errors = found.filter(({ severity }) => severity === 'error')
  for (const finding of errors.slice(0, 20)) out.logger.error(formatFinding(finding))
  return [...new Set(errors.flatMap(({ place }) => place?.file ?? []))]
}

function byName({ ref: a }: TextRecord, { ref: b }: TextRecord): number {
  return (
    compare(a.language, b.language) ||
    compare(a.namespace, b.namespace) ||
    compare(a.customer, b.customer) ||
    compare(a.key, b.key)
  )
}

function compare(a = '', b = ''): number {
  return a === b ? 0 : a < b ? -1 : 1
}
