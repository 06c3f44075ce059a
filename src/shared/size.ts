/** For example `300 B`, `2.4 KB`, `12 KB` or `1.5 MB`. One KB is 1000 bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 999_500 ? `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} KB` : `${(bytes / 1e6).toFixed(1)} MB`
}
