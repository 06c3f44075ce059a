// How smoothly the inspector scrolls: a project of 100,000 texts in Vite's dev server, Chromium scrolling through all
// of it.
// Prints the longest tasks of the page's main thread: by the clock, and what the processor worked on them, which other
// programs on the
// machine do not lengthen. Run: node bench/inspector.mjs [--smoke] (after npm run build; needs Chromium)
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { createServer } from 'vite'
import localization from '../dist/vite.js'

const texts = process.argv.includes('--smoke') ? 1_000 : 100_000
const languages = ['en', 'de', 'pl', 'fr']
const root = await mkdtemp(join(tmpdir(), 'localization-bench-'))
const keys = Math.ceil(texts / languages.length)
for (const language of languages) {
  await mkdir(join(root, 'locales', language), { recursive: true })
  const content = Object.fromEntries(
    Array.from({ length: keys }, (_, i) => [
      `area${i % 50}.key${i}`,
      `The text number ${i} in the language ${language}`,
    ]),
  )
  await writeFile(join(root, 'locales', language, 'common.json'), JSON.stringify(content, null, 2))
}
await writeFile(join(root, 'package.json'), '{"type":"module"}')
await writeFile(join(root, 'index.html'), '<!doctype html>')
const server = await createServer({
  root,
  configFile: false,
  logLevel: 'silent',
  server: { host: '127.0.0.1', port: 0 },
  plugins: [localization({ keySeparator: '::', defaultLanguage: 'en' })],
})
await server.listen()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1300, height: 800 } })
  const startedAt = performance.now()
  await page.goto(`http://127.0.0.1:${server.httpServer.address().port}/__localization/#/texts`)
  await page.getByRole('row').nth(5).waitFor()
  const openedMs = performance.now() - startedAt
  await page.waitForTimeout(1_000)
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  const result = await page.evaluate(async () => {
    const long = []
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)))
    observer.observe({ entryTypes: ['longtask'] })
    const table = document.querySelector('.table')
    const frames = []
    let last = performance.now()
    const steps = 400
    for (let step = 0; step <= steps; step++) {
      // Half of it as a wheel turns, half in leaps.
      table.scrollTop = step < steps / 2 ? step * 120 : ((step - steps / 2) / (steps / 2)) * table.scrollHeight
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      frames.push(now - last)
      last = now
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
    observer.disconnect()
    frames.sort((a, b) => a - b)
    return {
      long,
      median: frames[Math.floor(frames.length / 2)],
      worst: frames.at(-1),
      rows: document.querySelectorAll('[data-row]').length,
    }
  })
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const worked = traceEvents
    .filter(({ tdur, pid, tid }) => tdur !== undefined && mainThreads.has(`${pid} ${tid}`))
    .map(({ tdur }) => tdur / 1000)
  const { long, median, worst, rows } = result
  console.log(`${(keys * languages.length).toLocaleString('en')} texts, ${keys.toLocaleString('en')} keys`)
  console.log(`opened in ${openedMs.toFixed(0)} ms; ${rows} rows in the document`)
  console.log(`frames while scrolling: median ${median.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`)
  console.log(
    `tasks of more than 50 ms of work: ${worked.filter((ms) => ms > 50).length}, longest ${Math.max(0, ...worked).toFixed(1)} ms`,
  )
  console.log(`by the clock: ${long.length}${long.length > 0 ? `, longest ${Math.max(...long).toFixed(0)} ms` : ''}`)
} finally {
  await browser.close()
  await server.close()
  await rm(root, { recursive: true, force: true })
}
