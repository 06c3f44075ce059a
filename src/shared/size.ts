/** Sizes as people write and read them. One KB is 1000 bytes. */

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6 }
const SIZE = /^(\d+(?:\.\d+)?) ?(B|KB|MB)$/i

/** Bytes of `20 KB`, `1.5 MB`, `300 B`. `undefined`: it is no size. */
export function parseSize(text: string): number | undefined {
  const [, figure, unit = ''] = SIZE.exec(text.trim()) ?? []
  const factor = UNITS[unit.toUpperCase()]
  return figure === undefined || factor === undefined ? undefined : Math.round(Number(figure) * factor)
}

/** `300 B`, `2.4 KB`, `12 KB`, `1.5 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 999_500 ? `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} KB` : `${(bytes / 1e6).toFixed(1)} MB`
}
