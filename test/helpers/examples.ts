/**
 * The examples under `playground/examples`, each as a user has it: in a folder of its own with the package installed
 * beside it.
 */
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from './bundlers.ts'
import { installPackage } from './consumer.ts'
import { tempFolder } from './temp.ts'

const EXAMPLES = join(repository, 'playground/examples')
export const LANGUAGES = ['en', 'de', 'pl', 'ja', 'ar'] as const

/** A copy of the example. Resolves to its folder. */
export async function installExample(name: string): Promise<string> {
  const folder = await tempFolder()
  await installPackage(folder)
  await cp(join(EXAMPLES, 'public'), join(folder, 'public'), { recursive: true })
  await cp(join(EXAMPLES, name), join(folder, name), {
    recursive: true,
    filter: (path) => !/[/\\](?:\.localization|dist)$/.test(path),
  })
  return join(folder, name)
}

/** What the page shows, by class or element. */
export interface Shown {
  readonly h1: string
  readonly '.greeting': string
  readonly '.bags': string
  readonly '.tea': string
  readonly '.note'?: string
}

type Tree = { readonly [key: string]: string | Tree }

/** What every example must show: worked out from the texts of the i18next one, with nothing but `Intl`. */
export async function expectedTexts(
  language: string,
  { name = '', count = 1, open = false, number = String as (count: number) => string } = {},
): Promise<Shown> {
  const read = async (namespace: string): Promise<Tree> =>
    JSON.parse(await readFile(join(EXAMPLES, `react-i18next/locales/${language}/${namespace}.json`), 'utf8'))
  const common = await read('common')
  const greeting = common.greeting as Record<string, string>
  const bags = common[`bags_${new Intl.PluralRules(language).select(count)}`] as string
  return {
    h1: common.title as string,
    '.greeting': ((name ? greeting.named : greeting.guest) as string).replace('{{name}}', name),
    '.bags': bags.replace('{{count}}', number(count)),
    '.tea': common.tea as string,
    ...(open && { '.note': (await read('details')).note as string }),
  }
}
