/** Vite's `experimental.renderBuiltUrl`: the configuration decides where the output is served, such as on a CDN. */
import { posix } from 'node:path'
import type { ResolvedConfig } from 'vite'
import { LocalizationError } from '../../../errors.ts'

type BuiltUrlConfig = Pick<ResolvedConfig, 'base' | 'experimental'>

/** The address of a file in a page: `/index.html` names the page. */
export function urlInPage({ base, experimental }: BuiltUrlConfig, file: string, page: string): string {
  const hostId = page.slice(1)
  const url = experimental.renderBuiltUrl?.(file, { type: 'asset', hostId, hostType: 'html', ssr: false })
  if (url && typeof url === 'string') return url
  const isRelative = (typeof url === 'object' ? url.relative : undefined) ?? (base === '' || base === './')
  return isRelative ? `./${posix.relative(posix.dirname(hostId), file)}` : base + file
}

/** Where a script fetches texts from. */
export interface FolderInScript {
  /** From the root of the output. */
  readonly folder: string
  /** One file below the folder: `renderBuiltUrl` knows the addresses of files only. */
  readonly file: string
  /** The script. */
  readonly hostId: string
}

/** The expression of the folder's address. `undefined`: the usual address, relative to the script. */
export function folderUrlInScript(
  { experimental }: BuiltUrlConfig,
  { folder, file, hostId }: FolderInScript,
): string | undefined {
  const path = `${folder}/${file}`
  const url = experimental.renderBuiltUrl?.(path, { type: 'asset', hostId, hostType: 'js', ssr: false })
  if (typeof url === 'object') return url.runtime && `(${url.runtime}).slice(0, -${file.length})`
  if (!url) return undefined
  if (url.endsWith(`/${file}`)) return JSON.stringify(url.slice(0, -file.length))
  throw new LocalizationError(`experimental.renderBuiltUrl gives ${path} the address ${url}`, {
    code: 'CONFIG_INVALID',
    hint: 'Let the addresses of texts end in the name of the file: their other parts must be the same for all of them.',
  })
}
