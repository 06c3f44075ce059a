import { countWhile, type Queries, type SqlValue } from './driver.ts'
import type { ProjectRecord } from './projects.ts'
import { fold, type ReviewStatus } from './translations.ts'

export interface TranslationFilter {
  readonly text?: string | undefined
  readonly textStatus?: 'EMPTY' | 'NOT_EMPTY' | undefined
  readonly reviewStatus?: ReviewStatus | undefined
  readonly key?: string | undefined
  readonly namespace?: string | undefined
  readonly language?: string | undefined
  /** Default: texts without a customer. */
  readonly customer?: string | undefined
  readonly sort?: 'modified-ascending' | 'modified-descending' | undefined
}

/** The columns of a translation in a response, in this order. */
const COLUMNS = ['key', 'namespace', 'language', 'text', 'reviewStatus', 'lastModifiedAt']

interface CountedQuery {
  readonly version: number
  readonly progress: Promise<QueryProgress>
}

/** By project and filter, least recently used first. */
export type QueryCache = Map<string, CountedQuery>

const MAX_QUERIES = 1000
/** The maximum number of `Mark`s for one query. If there are more, they are dropped and collected again. */
const MAX_MARKS = 20_000
/** The maximum number of namespaces to recount. For more, counting all namespaces again is as fast. */
const MAX_RECOUNTED = 8

type QueriedProject = Pick<ProjectRecord, 'id' | 'version' | 'rowsVersion'>

type CompiledFilter = ReturnType<typeof compile>

export class TranslationQuery {
  constructor(
    private readonly database: Queries,
    private readonly cache: QueryCache,
  ) {}

  /**
   * Returns a page, ordered by namespace, key and language. By default, it contains only stored texts. If `textStatus`
   * is `EMPTY`, it also contains languages for which a key has no text, so that translators find what is left to do.
   * `json` contains translations in the contract's format, separated by commas.
   */
  async page(
    project: QueriedProject,
    filter: TranslationFilter,
    page: number,
    size: number,
  ): Promise<{ readonly json: Buffer; readonly total: number }> {
    const compiled = compile(project.id, filter)
    const { from, where, values, language } = compiled
    const progress = await this.progressOf(project, filter, compiled)
    const { total } = progress
    const offset = page * size
    if (offset >= total) return { json: Buffer.alloc(0), total }

    const { customer, sort } = filter
    const start = sort === undefined ? progress.startOf(offset, size) : undefined
    const after = afterSql(start, language)
    const byTime = sort && `COALESCE(t.modified_at, k.created_at) ${sort === 'modified-descending' ? 'DESC' : 'ASC'}, `
    const ofCustomer = customer === undefined ? '' : ', t.customer AS "customerId"'
    const json = await this.database.allAsJson(
      customer === undefined ? COLUMNS : [...COLUMNS, 'customerId'],
      `SELECT k.key AS key, k.namespace AS namespace, ${language} AS language, COALESCE(t.text, '') AS text,
              COALESCE(t.review_status, 'NOT_REVIEWED') AS "reviewStatus",
              COALESCE(t.modified_at, k.created_at) AS "lastModifiedAt"${ofCustomer}
       ${from} ${where} ${after.sql} ORDER BY ${byTime ?? ''}k.namespace, k.key, ${language} LIMIT ? OFFSET ?`,
      ...values,
      ...after.values,
      size,
      start?.skip ?? offset,
    )
    if (json.length > 0 && offset + size <= total) {
      const { namespace, ...row } = endOf(json)
      start?.keepEnd(namespace, row)
    }
    return { json, total }
  }

  /** Concurrent requests for the same count share one result. */
  private async progressOf(project: QueriedProject, filter: TranslationFilter, compiled: CompiledFilter) {
    const { cache } = this
    const version = project[counterOf(filter)]
    const id = JSON.stringify([project.id, { ...filter, sort: undefined }])
    const before = cache.get(id)
    // A newer count is also used for requests that have read an older version of the project.
    const isValid = before && before.version >= version
    const query = isValid ? before : { version, progress: this.countAnew(project, filter, compiled, before) }
    cache.delete(id)
    cache.set(id, query)
    const [oldest = ''] = cache.keys()
    if (cache.size > MAX_QUERIES) cache.delete(oldest)
    try {
      return await query.progress
    } catch (error) {
      if (cache.get(id) === query) cache.delete(id)
      throw error
    }
  }

  private async countAnew(
    { id }: QueriedProject,
    filter: TranslationFilter,
    compiled: CompiledFilter,
    before: CountedQuery | undefined,
  ): Promise<QueryProgress> {
    if (before && counterOf(filter) === 'rowsVersion') {
      const progress = await before.progress.catch(() => undefined)
      const changed = await this.changedSince(id, before.version)
      if (progress && changed.length <= MAX_RECOUNTED) {
        return progress.with(await this.recount(compiled, filter.namespace, changed))
      }
    }
    return QueryProgress.of(await this.count(compiled))
  }

  /** The namespaces in which any process has added or removed rows since the version `rowsVersion`. */
  private async changedSince(projectId: number, rowsVersion: number): Promise<string[]> {
    const sql = 'SELECT namespace FROM changed_namespaces WHERE project_id = ? AND rows_version > ?'
    const rows = await this.database.all<{ namespace: string }>(sql, projectId, rowsVersion)
    return rows.map(({ namespace }) => namespace)
  }

  private count({ from, where, values }: CompiledFilter): Promise<CountedNamespace[]> {
    return this.database.all<CountedNamespace>(
      `SELECT k.namespace AS namespace, COUNT(*) AS n ${from} ${where} GROUP BY k.namespace ORDER BY k.namespace`,
      ...values,
    )
  }

  private async recount(
    { from, where, values }: CompiledFilter,
    only: string | undefined,
    namespaces: readonly string[],
  ): Promise<CountedNamespace[]> {
    const counted: CountedNamespace[] = []
    for (const namespace of namespaces) {
      if (only !== undefined && only !== namespace) continue
      const sql = `SELECT COUNT(*) AS n ${from} ${where} AND k.namespace = ?`
      const found = await this.database.get<{ n: number }>(sql, ...values, namespace)
      counted.push({ namespace, n: found?.n ?? 0 })
    }
    return counted
  }
}

/** The condition for rows on the page or after it. */
function afterSql(start: ReturnType<QueryProgress['startOf']>, language: string) {
  if (!start) return { sql: '', values: [] }
  const { namespace, after } = start
  if (!after) return { sql: 'AND k.namespace >= ?', values: [namespace] }
  // The first condition lets the database use the index on keys.
  const sql = `AND (k.namespace, k.key) >= (?, ?) AND (k.namespace, k.key, ${language}) > (?, ?, ?)`
  return { sql, values: [namespace, after.key, namespace, after.key, after.language] }
}

/**
 * Returns the version that changes whenever the query's result may change. Overwriting a text changes only the results
 * of queries that filter by content.
 */
function counterOf({ text, textStatus, reviewStatus }: TranslationFilter): 'version' | 'rowsVersion' {
  return text || textStatus !== undefined || reviewStatus !== undefined ? 'version' : 'rowsVersion'
}

/**
 * Returns the key, namespace and language of the last translation. Quotes in texts are escaped, so the search cannot
 * match inside a text.
 */
function endOf(json: Buffer): RowName & { readonly namespace: string } {
  const { key, namespace, language } = JSON.parse(json.toString('utf8', json.lastIndexOf('{"key":')))
  return { key, namespace, language }
}

function compile(projectId: number, filter: TranslationFilter) {
  const includesMissing = filter.textStatus === 'EMPTY' && filter.customer === undefined
  // A text's language is always one of the project's, so only missing texts need the languages table.
  const language = includesMissing ? 'l.key' : 't.language'
  const conditions = ['k.project_id = ?']
  const values: SqlValue[] = [filter.customer ?? '', projectId]
  const add = (condition: string, value: SqlValue | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  add('k.namespace = ?', filter.namespace)
  add('k.key = ?', filter.key)
  add(`${language} = ?`, filter.language)
  add("COALESCE(t.review_status, 'NOT_REVIEWED') = ?", filter.reviewStatus)
  add('instr(COALESCE(t.folded, t.text), ?) > 0', filter.text ? fold(filter.text) : undefined)
  if (filter.textStatus === 'EMPTY') conditions.push("COALESCE(t.text, '') = ''")
  if (filter.textStatus === 'NOT_EMPTY') conditions.push("t.text <> ''")
  const texts = includesMissing
    ? `JOIN languages l ON l.project_id = k.project_id
       LEFT JOIN translations t ON t.key_id = k.id AND t.language = l.key AND t.customer = ?`
    : 'JOIN translations t ON t.key_id = k.id AND t.customer = ?'
  return { from: `FROM translation_keys k ${texts}`, where: `WHERE ${conditions.join(' AND ')}`, values, language }
}

/** The last row of a page. */
interface RowName {
  readonly key: string
  readonly language: string
}

interface Mark {
  /** The number of rows in the namespace up to and including this one. */
  readonly position: number
  readonly row: RowName
}

interface Part {
  readonly namespace: string
  readonly total: number
  /** Ordered by position. */
  readonly marks: Mark[]
}

export interface CountedNamespace {
  readonly namespace: string
  readonly n: number
}

/**
 * A query's counts in each namespace, and where its pages end, for one version of the data. The next version reuses the
 * namespaces that have not changed.
 */
export class QueryProgress {
  readonly total: number

  private constructor(private readonly parts: readonly Part[]) {
    this.total = parts.reduce((sum, { total }) => sum + total, 0)
  }

  /** @param counted in the database's order */
  static of(counted: readonly CountedNamespace[]): QueryProgress {
    return new QueryProgress(counted.map(({ namespace, n }) => ({ namespace, total: n, marks: [] })))
  }

  with(counted: readonly CountedNamespace[]): QueryProgress {
    const changed = new Set(counted.map(({ namespace }) => namespace))
    const parts: Part[] = this.parts.filter(({ namespace }) => !changed.has(namespace))
    for (const { namespace, n } of counted) if (n > 0) parts.push({ namespace, total: n, marks: [] })
    // Sorted by UTF-8 bytes, as in the databases.
    parts.sort((a, b) => Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace)))
    return new QueryProgress(parts)
  }

  /** Returns the start of the page that contains `size` rows after the first `offset` rows. */
  startOf(offset: number, size: number) {
    let rest = offset
    for (const { namespace, total, marks } of this.parts) {
      if (rest >= total) {
        rest -= total
        continue
      }
      const position = rest
      const mark = marks[countWhile(marks, (known) => known.position <= position) - 1]
      return {
        namespace,
        /** The page starts after this row, or at the beginning of the namespace. */
        after: mark?.row,
        /** The number of rows to skip from there. */
        skip: position - (mark?.position ?? 0),
        // Remembers the last row of a full page. The end is kept only if it is in the same namespace, because a write
        // between the count and the page may have moved the end of the namespace.
        keepEnd: (last: string, row: RowName) => {
          if (last === namespace) this.insert(marks, { position: position + size, row })
        },
      }
    }
    return undefined
  }

  private insert(marks: Mark[], mark: Mark): void {
    const at = countWhile(marks, (known) => known.position <= mark.position)
    if (marks[at - 1]?.position === mark.position) return
    marks.splice(at, 0, mark)
    const count = this.parts.reduce((sum, part) => sum + part.marks.length, 0)
    if (count > MAX_MARKS) for (const part of this.parts) part.marks.length = 0
  }
}
