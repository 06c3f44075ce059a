/** The licences of what the built package holds a copy of: `dist/THIRD-PARTY.txt`. */
import { readdir, readFile, writeFile } from 'node:fs/promises'

/** @param folders of the packages, with a slash at their end */
export async function buildNotices(folders: Iterable<string>): Promise<void> {
  const notices = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version } = JSON.parse(await readFile(`${folder}package.json`, 'utf8')) as Record<string, string>
      const license = (await readdir(folder)).find((file) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(file)) ?? 'LICENSE'
      return `${name} ${version}\n\n${(await readFile(folder + license, 'utf8')).trim()}\n`
    }),
  )
  await writeFile('dist/THIRD-PARTY.txt', notices.sort().join(`\n${'-'.repeat(80)}\n\n`))
}
