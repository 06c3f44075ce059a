/** Supports Vite's `experimental.renderBuiltUrl`, which returns the URL of an output file, for example on a CDN. */
import { posix } from 'node:path'
import type { ResolvedConfig } from 'vite'
import { LocalizationError } from '../../../errors.ts'

type BuiltUrlConfig = Pick<ResolvedConfig, 'base' | 'experimental'>

/** Returns the URL by which a page loads a file. `page` is a path such as `/index.html`. */
export function urlInPage({ base, experimental }: BuiltUrlConfig, file: string, page: string): string {
  const hostId = page.slice(1)
  const url = experimental.renderBuiltUrl?.(file, { type: 'asset', hostId, hostType: 'html', ssr: false })
  if (url && typeof url === 'string') return url
  const isRelative = (typeof url === 'object' ? url.relative : undefined) ?? (base === '' || base === './')
  return isRelative ? `./${posix.relative(posix.dirname(hostId), file)}` : base + file
}

/** The folder from which a script fetches texts. */
export interface FolderInScript {
  /** Relative to the output's root. */
  readonly folder: string
  /** A file in the folder. It is needed because `renderBuiltUrl` returns only the URLs of files. */
  readonly file: string
  readonly hostId: string
}

/**
 * Returns the expression for the folder's URL. Returns `undefined` if Vite uses its default, which is a URL relative to
 * the script.
 */
export function folderUrlInScript(
  { experimental }: BuiltUrlConfig,
  { folder, file, hostId }: FolderInScript,
): string | undefined {
  const path = `${folder}/${file}`
  const url = experimental.renderBuiltUrl?.(path, { type: 'asset', hostId, hostType: 'js', ssr: false })
  if (typeof url === 'object') return url.runtime && `(${url.runtime}).slice(0, -${file.length})`
  if (!url) return undefined
  if (url.endsWith(`/${file}`)) return JSON.stringify(url.slice(0, -file.length))
  throw new LocalizationError(`experimental.renderBuiltUrl returns ${url} for ${path}`, {
    code: 'CONFIG_INVALID',
    hint: 'The URLs of message files must end in the file name and have the same prefix.',
  })
}
