/** The query over translations: every filter, pages, totals. */
import type { Database, SqlValue } from './driver.ts'
import type { ProjectStore } from './projects.ts'
import { fold, type ReviewStatus } from './translations.ts'

export interface TranslationFilter {
  readonly text?: string | undefined
  readonly textStatus?: 'EMPTY' | 'NOT_EMPTY' | undefined
  readonly reviewStatus?: ReviewStatus | undefined
  readonly key?: string | undefined
  readonly namespace?: string | undefined
  readonly language?: string | undefined
  /** Without it: texts of no customer. */
  readonly customer?: string | undefined
  readonly sort?: 'modified-ascending' | 'modified-descending' | undefined
}

interface TranslationRow {
  readonly key: string
  readonly namespace: string
  readonly language: string
  readonly text: string
  readonly reviewStatus: ReviewStatus
  /** Where there is no text yet: when the key was made. */
  readonly lastModifiedAt: string
}

/** The total of one query and the last row of each page, valid for one version of the project. */
interface QueryProgress {
  readonly version: number
  readonly total: number
  readonly lastRows: Map<number, TranslationRow>
}

const MAX_QUERIES = 64

export class TranslationQuery {
  private readonly progress = new Map<string, QueryProgress>()

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
  ) {}

  /**
   * One page, ordered by namespace, key and language. Without `textStatus` stored texts are answered; `EMPTY` also
   * answers keys that have no text in a language yet: that is how a translator asks for what is left.
   */
  page(projectId: number, filter: TranslationFilter, page: number, size: number) {
    const { from, where, values } = compile(projectId, filter)
    const { total, lastRows } = this.progressOf(projectId, JSON.stringify([projectId, filter, size]), () => {
      return this.database.get<{ n: number }>(`SELECT COUNT(*) AS n ${from} ${where}`, ...values)?.n ?? 0
    })
    if (page * size >= total) return { rows: [], total }

    // A page that follows an answered one starts at its last row: skipping rows costs as much as reading them.
    const last = filter.sort === undefined ? lastRows.get(page - 1) : undefined
    const after = last ? 'AND (k.namespace, k.key, l.key) > (?, ?, ?)' : ''
    const direction = filter.sort === 'modified-descending' ? 'DESC' : 'ASC'
    const byTime = filter.sort === undefined ? '' : `COALESCE(t.modified_at, k.created_at) ${direction}, `
    const rows = this.database.all<TranslationRow>(
      `SELECT k.key AS key, k.namespace AS namespace, l.key AS language, COALESCE(t.text, '') AS text,
              COALESCE(t.review_status, 'NOT_REVIEWED') AS "reviewStatus",
              COALESCE(t.modified_at, k.created_at) AS "lastModifiedAt"
       ${from} ${where} ${after} ORDER BY ${byTime}k.namespace, k.key, l.key LIMIT ? OFFSET ?`,
      ...values,
      ...(last ? [last.namespace, last.key, last.language] : []),
      size,
      last ? 0 : page * size,
    )
    const end = rows.at(-1)
    if (end) lastRows.set(page, { ...end, text: '' })
    return { rows, total }
  }

  private progressOf(projectId: number, id: string, count: () => number): QueryProgress {
    const version = this.projects.version(projectId)
    let known = this.progress.get(id)
    if (known?.version !== version) known = { version, total: count(), lastRows: new Map() }
    this.progress.delete(id)
    this.progress.set(id, known)
    const [oldest = ''] = this.progress.keys()
    if (this.progress.size > MAX_QUERIES) this.progress.delete(oldest)
    return known
  }
}

function compile(projectId: number, filter: TranslationFilter) {
  const includesMissing = filter.textStatus === 'EMPTY' && filter.customer === undefined
  const conditions = ['k.project_id = ?']
  const values: SqlValue[] = [filter.customer ?? '', projectId]
  const add = (condition: string, value: SqlValue | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  add('k.namespace = ?', filter.namespace)
  add('k.key = ?', filter.key)
  add('l.key = ?', filter.language)
  add("COALESCE(t.review_status, 'NOT_REVIEWED') = ?", filter.reviewStatus)
  add('instr(COALESCE(t.folded, t.text), ?) > 0', filter.text ? fold(filter.text) : undefined)
  if (filter.textStatus === 'EMPTY') conditions.push("COALESCE(t.text, '') = ''")
  if (filter.textStatus === 'NOT_EMPTY') conditions.push("t.text <> ''")
  const from = `FROM translation_keys k
    JOIN languages l ON l.project_id = k.project_id
    ${includesMissing ? 'LEFT JOIN' : 'JOIN'} translations t
      ON t.key_id = k.id AND t.language = l.key AND t.customer = ?`
  return { from, where: `WHERE ${conditions.join(' AND ')}`, values }
}
