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

/** Of a translation in an answer, in their order. */
const COLUMNS = ['key', 'namespace', 'language', 'text', 'reviewStatus', 'lastModifiedAt']

/** Where a page ends. */
interface PageEnd {
  readonly key: string
  readonly namespace: string
  readonly language: string
}

/** The total of one query and the end of each page, valid for one version of what the query depends on. */
interface QueryProgress {
  readonly version: number
  readonly total: number
  readonly ends: Map<number, PageEnd>
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
   * answers keys that have no text in a language yet: that is how a translator asks for what is left. `json`: the
   * translations of the contract, with commas between them.
   */
  async page(
    project: Pick<ProjectRecord, 'id' | 'version' | 'rowsVersion'>,
    filter: TranslationFilter,
    page: number,
    size: number,
  ): Promise<{ readonly json: Buffer; readonly total: number }> {
    const { id } = project
    const { from, where, values, language } = compile(id, filter)
    const version = asksForContent(filter) ? project.version : project.rowsVersion
    const { total, ends } = await this.progressOf(version, JSON.stringify([id, filter, size]), async () => {
      const counted = await this.database.get<{ n: number }>(`SELECT COUNT(*) AS n ${from} ${where}`, ...values)
      return counted?.n ?? 0
    })
    if (page * size >= total) return { json: Buffer.alloc(0), total }

    // A page starts at the end of an answered one before it: skipping rows costs as much as reading them.
    let known = page - 1
    while (filter.sort === undefined && known >= 0 && !ends.has(known)) known--
    const end = filter.sort === undefined ? ends.get(known) : undefined
    // The first condition leads into the index of keys.
    const after = end ? `AND (k.namespace, k.key) >= (?, ?) AND (k.namespace, k.key, ${language}) > (?, ?, ?)` : ''
    const direction = filter.sort === 'modified-descending' ? 'DESC' : 'ASC'
    const byTime = filter.sort === undefined ? '' : `COALESCE(t.modified_at, k.created_at) ${direction}, `
    const { customer } = filter
    const ofCustomer = customer === undefined ? '' : ', t.customer AS "customerId"'
    const json = await this.database.allAsJson(
      customer === undefined ? COLUMNS : [...COLUMNS, 'customerId'],
      `SELECT k.key AS key, k.namespace AS namespace, ${language} AS language, COALESCE(t.text, '') AS text,
              COALESCE(t.review_status, 'NOT_REVIEWED') AS "reviewStatus",
              COALESCE(t.modified_at, k.created_at) AS "lastModifiedAt"${ofCustomer}
       ${from} ${where} ${after} ORDER BY ${byTime}k.namespace, k.key, ${language} LIMIT ? OFFSET ?`,
      ...values,
      ...(end ? [end.namespace, end.key, end.namespace, end.key, end.language] : []),
      size,
      (end ? page - known - 1 : page) * size,
    )
    if (filter.sort === undefined && json.length > 0) ends.set(page, endOf(json))
    return { json, total }
  }

  private async progressOf(version: number, id: string, count: () => Promise<number>): Promise<QueryProgress> {
    let known = this.cache.get(id)
    if (known?.version !== version) known = { version, total: await count(), ends: new Map() }
    this.cache.delete(id)
    this.cache.set(id, known)
    const [oldest = ''] = this.cache.keys()
    if (this.cache.size > MAX_QUERIES) this.cache.delete(oldest)
    return known
  }
}

/** Whether a write to a text that is there may change which texts the query finds. */
function asksForContent({ text, textStatus, reviewStatus }: TranslationFilter): boolean {
  return Boolean(text) || textStatus !== undefined || reviewStatus !== undefined
}

/** What names the last one of the translations. Quotes in texts are escaped: none looks like the start of one. */
function endOf(json: Buffer): PageEnd {
  const { key, namespace, language } = JSON.parse(json.toString('utf8', json.lastIndexOf('{"key":')))
  return { key, namespace, language }
}

function compile(projectId: number, filter: TranslationFilter) {
  const includesMissing = filter.textStatus === 'EMPTY' && filter.customer === undefined
  // A text has a language of the project: only where there is none, the languages say which ones are missing.
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
