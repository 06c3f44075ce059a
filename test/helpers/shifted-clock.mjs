// Loaded before everything else: this process's wall clock is `CLOCK_SHIFT_MS` off, and jumps by as much again with
// each SIGUSR2.
const RealDate = Date
const step = Number(process.env.CLOCK_SHIFT_MS ?? 0)
let shift = step

globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(RealDate.now() + shift)
    else super(...values)
  }
  static now() {
    return RealDate.now() + shift
  }
}
process.on('SIGUSR2', () => {
  shift += step
})
