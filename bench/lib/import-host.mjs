/** How long the import of an entry of the built package takes: `{entry}`. */
const { entry } = JSON.parse(process.argv[2])
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
await import(`../../dist/${entry}.js`)
const { user, system } = process.cpuUsage(cpuBefore)
console.log(JSON.stringify({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 }))
// Its parent ends it.
setInterval(() => {}, 1_000)
