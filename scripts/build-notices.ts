/** The licences of what the built package holds a copy of: `dist/THIRD-PARTY.txt`. */
import { readFile, writeFile } from 'node:fs/promises'

/** `zod` is in the entries, `preact` in the inspector's page. */
const COPIED = ['preact', 'zod']

export async function buildNotices(): Promise<void> {
  const notices = await Promise.all(
    COPIED.map(async (name) => {
      const folder = new URL(`../node_modules/${name}/`, import.meta.url)
      const { version } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8')) as { version: string }
      return `${name} ${version}\n\n${(await readFile(new URL('LICENSE', folder), 'utf8')).trim()}\n`
    }),
  )
  await writeFile('dist/THIRD-PARTY.txt', notices.join(`\n${'-'.repeat(80)}\n\n`))
}
