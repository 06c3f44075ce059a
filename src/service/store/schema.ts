/** The tables of version 1, in SQL that PostgreSQL also accepts (BYTEA for BLOB). Times are ISO 8601 UTC. */

/** Customer `''`: no customer. Namespace `''`: the default namespace. */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE personal_tokens (hash TEXT PRIMARY KEY, created_at TEXT NOT NULL)`,

  `CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    project_token TEXT NOT NULL UNIQUE,
    api_key TEXT NOT NULL UNIQUE,
    unpublished_changes INTEGER NOT NULL,
    created_at TEXT NOT NULL
  )`,

  `CREATE TABLE languages (
    project_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
  )`,

  `CREATE TABLE customers (
    project_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    description TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
  )`,

  `CREATE TABLE environments (
    project_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
  )`,

  `CREATE TABLE translation_keys (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    code_description TEXT NOT NULL,
    characters_limit INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (project_id, namespace, key)
  )`,

  // folded: the text in lower case for the case-insensitive search; null if the text is already in lower case.
  `CREATE TABLE translations (
    key_id INTEGER NOT NULL,
    language TEXT NOT NULL,
    customer TEXT NOT NULL,
    text TEXT NOT NULL,
    folded TEXT,
    review_status TEXT NOT NULL,
    modified_at TEXT NOT NULL,
    PRIMARY KEY (key_id, language, customer)
  )`,

  `CREATE TABLE publications (
    project_id INTEGER NOT NULL,
    environment TEXT NOT NULL,
    created_at TEXT NOT NULL,
    number_of_keys INTEGER NOT NULL,
    number_of_languages INTEGER NOT NULL,
    number_of_texts INTEGER NOT NULL,
    PRIMARY KEY (project_id, environment)
  )`,

  `CREATE TABLE resources (
    project_id INTEGER NOT NULL,
    environment TEXT NOT NULL,
    path TEXT NOT NULL,
    position INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    language TEXT,
    namespace TEXT,
    customer TEXT,
    size INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (project_id, environment, path)
  )`,
  `CREATE INDEX resources_content ON resources (content_hash)`,

  // One compressed copy of each content: the environments of a project have mostly the same files.
  `CREATE TABLE contents (hash TEXT PRIMARY KEY, compressed BLOB NOT NULL)`,

  `CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    progress REAL NOT NULL,
    started TEXT NOT NULL,
    message TEXT NOT NULL,
    request TEXT NOT NULL,
    needs_key INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    characters INTEGER NOT NULL
  )`,
  `CREATE INDEX jobs_project ON jobs (project_id, position)`,
]
