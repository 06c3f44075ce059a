/** A dev server's project: the plugin's loaded state, the sync engine and a client for the service. */
import type { Client } from '../api/client.ts'
import type { Catalog } from '../catalog/model.ts'
import type { PartRef, TextRef } from '../catalog/text-id.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, formatFinding, formatPlace, messageOf } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { textCheckSettings } from '../files/text-check-settings.ts'
import { readReport, reportFile } from '../report/report.ts'
import type { SyncEngine } from '../sync/engine.ts'
import type { Activity } from './activity.ts'
import type { InspectedProject } from './endpoint.ts'
import { findText, KeyUseFinder, openInEditor } from './places.ts'
import { projectId } from './running.ts'
import { ServiceWork } from './service-work.ts'
import { createSnapshot, type Snapshot } from './snapshot.ts'
import { writeTexts } from './sync-actions.ts'

export interface LoadedProject {
  readonly config: ResolvedConfig
  readonly translations: Translations
  readonly loaded: {
    readonly catalog: Catalog
    readonly files: { readonly catalog: Catalog }
    readonly diagnostics: readonly Diagnostic[]
    /** `'files'` if the service failed, so the texts come from the files. */
    readonly remote?: { readonly isLive: boolean; readonly detail: string } | 'files' | undefined
  }
}

export interface DevProjectOptions {
  readonly root: string
  readonly name: string
  readonly activity: Activity
  /** The state from which the app currently gets its texts. */
  readonly state: () => Promise<LoadedProject>
  /** `undefined` until the files are being watched. Nothing can be written before that. */
  readonly engine: () => SyncEngine | undefined
  /** Calls the listener when the state or the engine changes. Returns a function that unsubscribes it. */
  readonly onChange: (listener: () => void) => () => void
  /** For jobs and environments; `undefined` if no service is configured. */
  readonly client: Client | undefined
}

export class DevProject implements InspectedProject {
  readonly id: string
  readonly name: string
  readonly activity: Activity
  readonly service: ServiceWork | undefined
  readonly #options: DevProjectOptions
  readonly #unsubscribe: () => void
  readonly #uses = new KeyUseFinder()
  readonly #closing = new AbortController()
  #current: { readonly state: LoadedProject; readonly snapshot: Snapshot } | undefined

  constructor(options: DevProjectOptions) {
    const { root, name, activity, client, state } = options
    this.id = projectId(root)
    this.name = name
    this.activity = activity
    this.#options = options
    this.#unsubscribe = options.onChange(() => {
      this.service?.forget()
      this.#current = undefined
      activity.notify('change')
    })
    // A job's texts arrive like any other change on the service.
    const onTranslated = () => {
      this.refresh().catch((error: unknown) => activity.log('warn', messageOf(error)))
    }
    this.service = client && new ServiceWork(client, activity, async () => (await state()).config, onTranslated)
  }

  get engine(): SyncEngine {
    const engine = this.#options.engine()
    if (!engine) throw new Error('the dev server is not watching the files yet')
    return engine
  }

  async snapshot(): Promise<Snapshot> {
    const state = await this.#options.state()
    const checks = await textCheckSettings(state.config)
    if (this.#current?.state !== state) {
      this.#current = { state, snapshot: snapshotOf(state, this.#options.engine(), checks) }
    }
    return this.#current.snapshot
  }

  async edit(edits: readonly TextEdit[]) {
    return writeTexts(this.engine, edits)
  }

  reviewed(refs: readonly TextRef[], isReviewed: boolean): void {
    this.engine.noteReviews(refs, isReviewed)
  }

  async refresh(): Promise<void> {
    this.service?.forget()
    await this.engine.refresh()
  }

  async placeOf(ref: TextRef): Promise<string | undefined> {
    const engine = this.#options.engine()
    const place = await engine?.placeOf(ref)
    return place?.file === undefined ? undefined : formatPlace(place)
  }

  async usesOf(key: Parameters<KeyUseFinder['find']>[1]) {
    const { config, loaded } = await this.#options.state()
    return this.#uses.find({ config, catalog: loaded.catalog }, key, this.#closing.signal)
  }

  async open(place: string) {
    const { config } = await this.#options.state()
    return openInEditor(config, place, (message) => this.activity.log('warn', message))
  }

  async findText(text: string) {
    return findText((await this.#options.state()).config, text)
  }

  async report() {
    return readReport(reportFile(this.#options.root))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#unsubscribe()
    this.service?.close()
    await this.#options.client?.close()
  }
}

function snapshotOf(
  { config, translations, loaded }: LoadedProject,
  engine: SyncEngine | undefined,
  checks: Awaited<ReturnType<typeof textCheckSettings>>,
): Snapshot {
  const { catalog, files, diagnostics } = loaded
  const {
    role = 'none',
    owner,
    failure,
    contactAt,
    conflicts = [],
    holds = [],
    outbox = [],
    deletions = [],
  } = engine?.status() ?? {}
  const isPseudo = (key: string) => key === config.pseudo && !catalog.languages.some((language) => language.key === key)
  return createSnapshot({
    kind: 'project',
    checks: { ...checks, keySeparator: config.keySeparator },
    defaultLanguage: translations.defaultLanguage,
    languages: translations.languages.map((language) => ({ ...language, isPseudo: isPseudo(language.key) })),
    namespaces: translations.namespaces,
    customers: translations.customers,
    catalog,
    edited: files.catalog,
    newer: engine?.serviceCatalog(),
    conflicts,
    deletions,
    holds: holds.map((hold) => ({ ...hold, theirs: engine?.serviceText(hold.ref).text })),
    stale: engine?.staleTexts(translations.defaultLanguage) ?? [],
    waiting: outbox.map(({ ref, text, parked }) => ({ ref, text, parked })),
    findings: diagnostics.map(({ severity, message, hint, place }) => ({
      severity,
      message: formatFinding(place?.file === undefined ? { message, hint, place } : { message, hint }),
      place: place?.file === undefined ? undefined : formatPlace(place),
    })),
    broken: brokenParts(config, diagnostics),
    sync: {
      role,
      ownerPid: owner?.pid,
      pushes: config.push !== false && config.service.apiKey !== undefined,
      failure: failure === undefined ? undefined : messageOf(failure),
      contactAt,
      fallback: fallbackOf(loaded.remote),
    },
    isEditable: engine !== undefined,
    chain: (language) => translations.chain(language),
    messages: (...part) => translations.messages(...part),
    serviceText: (ref) => engine?.serviceText(ref),
  })
}

function brokenParts(config: ResolvedConfig, diagnostics: readonly Diagnostic[]): readonly PartRef[] {
  const { match } = createFilePatterns(config)
  const files = diagnostics.flatMap(({ severity, place }) => (severity === 'error' && place?.file ? [place.file] : []))
  return [...new Set(files)].flatMap((file) => match(file) ?? [])
}

function fallbackOf(remote: LoadedProject['loaded']['remote']): string | undefined {
  if (remote === 'files') return 'the files'
  return remote && !remote.isLive ? remote.detail : undefined
}
