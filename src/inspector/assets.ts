/** The page's files: prebuilt, beside the built package, read when they are asked for. */
import { readFile } from 'node:fs/promises'

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'edit.js': 'text/javascript; charset=utf-8',
}

export interface Asset {
  readonly type: string
  readonly text: string
}

/** Bundled, this file is in `dist`, and the page is in `dist/inspector`. */
const ASSETS_FOLDER = new URL('./inspector/', import.meta.url)

/** `undefined`: there is no such file. Names are looked up, never put together into a path. */
export async function readAsset(name: string, folder: URL = ASSETS_FOLDER): Promise<Asset | undefined> {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
  if (type === undefined) return undefined
  return { type, text: await readFile(new URL(name, folder), 'utf8') }
}
