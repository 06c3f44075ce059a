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

export interface TranslationRow {
  readonly key: string
  readonly namespace: string
  readonly language: string
  readonly text: string
  readonly reviewStatus: ReviewStatus
  /** Where there is no text yet: when the key was made. */
  readonly lastModifiedAt: string
}

interface Position {
  readonly namespace: string
  readonly key: string
  readonly language: string
}

/** What is known of one query while nothing is written: its total, and where each page ended. */
interface Progress {
  version: number
  total: number
  ends: Map<number, Position>
}

const REMEMBERED_QUERIES = 64

export function createTranslationQuery(database: Database, projects: ProjectStore) {
  const progress = new Map<string, Progress>()

  const progressOf = (projectId: number, id: string, count: () => number): Progress => {
    const version = projects.version(projectId)
    let known = progress.get(id)
    if (known?.version !== version) known = { version, total: count(), ends: new Map() }
    progress.delete(id)
    progress.set(id, known)
    if (progress.size > REMEMBERED_QUERIES) {
      const [oldest] = progress.keys()
      if (oldest !== undefined) progress.delete(oldest)
    }
    return known
  }

  /**
   * One page, ordered by namespace, key and language. Without `textStatus` stored texts are answered; `EMPTY` also answers
   * keys that have no text in a language yet: that is how a translator asks for what is left.
   */
  return function query(
    projectId: number,
    filter: TranslationFilter,
    page: number,
    size: number,
  ): { rows: TranslationRow[]; total: number } {
    const { from, conditions, values } = compile(projectId, filter)
    const where = `WHERE ${conditions.join(' AND ')}`
    const known = progressOf(projectId, JSON.stringify([projectId, filter, size]), () => {
      const row = database.get<{ n: number }>(`SELECT COUNT(*) AS n ${from} ${where}`, ...values)
      return row?.n ?? 0
    })
    if (page * size >= known.total) return { rows: [], total: known.total }

    // A page that follows one that was answered starts where that ended: skipping rows costs as much as reading them.
    const end = filter.sort === undefined && page > 0 ? known.ends.get(page - 1) : undefined
    const after = end ? 'AND (k.namespace, k.key, l.key) > (?, ?, ?)' : ''
    const order =
      filter.sort === undefined
        ? 'k.namespace, k.key, l.key'
        : `COALESCE(t.modified_at, k.created_at) ${filter.sort === 'modified-descending' ? 'DESC' : 'ASC'}, k.namespace, k.key, l.key`
    const rows = database.all<TranslationRow>(
      `SELECT k.key AS key, k.namespace AS namespace, l.key AS language, COALESCE(t.text, '') AS text,
              COALESCE(t.review_status, 'NOT_REVIEWED') AS "reviewStatus", COALESCE(t.modified_at, k.created_at) AS "lastModifiedAt"
       ${from} ${where} ${after} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...values,
      ...(end ? [end.namespace, end.key, end.language] : []),
      size,
      end ? 0 : page * size,
    )
    const last = rows.at(-1)
    if (last) known.ends.set(page, { namespace: last.namespace, key: last.key, language: last.language })
    return { rows, total: known.total }
  }
}

function compile(projectId: number, filter: TranslationFilter) {
  const missingToo = filter.textStatus === 'EMPTY' && filter.customer === undefined
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
  if (filter.text !== undefined && filter.text !== '') {
    add('instr(COALESCE(t.folded, t.text), ?) > 0', fold(filter.text))
  }
  if (filter.textStatus === 'EMPTY') conditions.push("COALESCE(t.text, '') = ''")
  if (filter.textStatus === 'NOT_EMPTY') conditions.push("t.text <> ''")
  const from = `FROM translation_keys k
    JOIN languages l ON l.project_id = k.project_id
    ${missingToo ? 'LEFT JOIN' : 'JOIN'} translations t
      ON t.key_id = k.id AND t.language = l.key AND t.customer = ?`
  return { from, conditions, values }
}
