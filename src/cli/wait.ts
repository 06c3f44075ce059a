/** `90`, `90s`, `5min`, `2h` in milliseconds; `undefined` where it is none of them. */
export function parseDuration(text: string): number | undefined {
  const [, figure, unit = 's'] = /^(\d{1,6})(s|min|m|h)?$/.exec(text) ?? []
  if (figure === undefined) return undefined
  return Number(figure) * ({ s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }[unit] ?? 1000)
}
