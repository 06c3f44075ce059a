/** The query over translations: every filter, pages, totals. */
import type { Queries, SqlValue } from './driver.ts'
import type { ProjectRecord } from './projects.ts'
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

/** By project, filter and page size. */
export type QueryCache = Map<string, QueryProgress>

const MAX_QUERIES = 64

export class TranslationQuery {
  constructor(
    private readonly database: Queries,
    private readonly cache: QueryCache,
  ) {}

  /**
   * One page, ordered by namespace, key and language. Without `textStatus` stored texts are answered; `EMPTY` also
   * answers keys that have no text in a language yet: that is how a translator asks for what is left.
   */
  async page({ id, version }: ProjectRecord, filter: TranslationFilter, page: number, size: number) {
    const { from, where, values } = compile(id, filter)
    const { total, lastRows } = await this.progressOf(version, JSON.stringify([id, filter, size]), async () => {
      const counted = await this.database.get<{ n: number }>(`SELECT COUNT(*) AS n ${from} ${where}`, ...values)
      return counted?.n ?? 0
    })
    if (page * size >= total) return { rows: [], total }

    // A page that follows an answered one starts at its last row: skipping rows costs as much as reading them.
    const last = filter.sort === undefined ? lastRows.get(page - 1) : undefined
    // The first condition leads into the index of keys.
    const after = last ? 'AND (k.namespace, k.key) >= (?, ?) AND (k.namespace, k.key, l.key) > (?, ?, ?)' : ''
    const direction = filter.sort === 'modified-descending' ? 'DESC' : 'ASC'
    const byTime = filter.sort === undefined ? '' : `COALESCE(t.modified_at, k.created_at) ${direction}, `
    const rows = await this.database.all<TranslationRow>(
      `SELECT k.key AS key, k.namespace AS namespace, l.key AS language, COALESCE(t.text, '') AS text,
              COALESCE(t.review_status, 'NOT_REVIEWED') AS "reviewStatus",
              COALESCE(t.modified_at, k.created_at) AS "lastModifiedAt"
       ${from} ${where} ${after} ORDER BY ${byTime}k.namespace, k.key, l.key LIMIT ? OFFSET ?`,
      ...values,
      ...(last ? [last.namespace, last.key, last.namespace, last.key, last.language] : []),
      size,
      last ? 0 : page * size,
    )
    const end = rows.at(-1)
    if (end) lastRows.set(page, { ...end, text: '' })
    return { rows, total }
  }

  private async progressOf(version: number, id: string, count: () => Promise<number>): Promise<QueryProgress> {
    let known = this.cache.get(id)
    if (known?.version !== version) known = { version, total: await count(), lastRows: new Map() }
    this.cache.delete(id)
    this.cache.set(id, known)
    const [oldest = ''] = this.cache.keys()
    if (this.cache.size > MAX_QUERIES) this.cache.delete(oldest)
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
