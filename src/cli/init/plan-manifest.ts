/** Plans the lines of docs/tools.md, for tools that take no plugins. */
import { joinPlans, NOTHING_PLANNED, type Planned, planEdit, readText } from './change.ts'
import { addToManifest } from './edit/json.ts'
import type { Project } from './project.ts'

const IMPORTS = {
  '#translations': './.localization/modules/index.js',
  '#translations/*': './.localization/modules/*.js',
}

/** Commands of the tools at the start of a script. */
const TOOL = /^(?:\w+=\S+\s+)*(?:node|jest|deno|bun|metro|parcel|react-native|expo)\b/
/** Bun as a package manager is not the tool that runs the app. */
const NOT_A_TOOL = /^bun (?:install|x|run|add)\b/

const LINES = [`"imports": ${JSON.stringify(IMPORTS)}`, '"start": "localization generate && ..."']

export async function planManifest({ root, scripts, packages }: Project): Promise<Planned> {
  const path = 'package.json'
  const before = await readText(root, path)
  if (before === undefined) return NOTHING_PLANNED
  const own = Object.entries(scripts).filter(([, command]) => TOOL.test(command) && !NOT_A_TOOL.test(command))
  const isParcel = packages.has('parcel')
  if (own.length === 0 && !isParcel && !packages.has('react-native')) return NOTHING_PLANNED
  const more = isParcel ? { '@parcel/resolver-default': { packageExports: true } } : {}
  const edited = addToManifest(
    before,
    IMPORTS,
    own.map(([name]) => name),
    more,
  )
  return joinPlans([planEdit(path, before, edited, LINES)])
}
