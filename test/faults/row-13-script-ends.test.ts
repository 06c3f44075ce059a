/** Row 13: U+2028, `</script>`: no emitted file can end a script or a line, and evaluates to the same text. */
import { expect, test } from 'vitest'
import { importing } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const row = faultRow(13)
const TEXTS = {
  line: 'a\u2028b\u2029c',
  script: '</script><script>alert(1)</script>',
  cased: '</ScRiPt >',
  comment: '<!-- <script> --> ]]>',
  quotes: `'"\`\\ \${1} \\u2028`,
  '</script>': 'a key',
  '\u2028': 'a key',
}

test.each(bundlers)('$name', async (bundler) => {
  const root = await tempFolder()
  await writeTree(root, {
    'main.js': importing(['virtual:translations/en/common']),
    'locales/en/common.json': JSON.stringify(TEXTS),
  })
  const output = await bundler.build({
    root,
    entries: { main: 'main.js' },
    options: { configFile: false, source: 'files', defaultLanguage: 'en' },
  })
  const [module] = await runEntry<[{ default?: Record<string, string> } & Record<string, string>]>(
    output.entryFile('main'),
  )
  row.kept((module.default ?? module) as Record<string, string>, TEXTS)
  row.alsoTried(Object.keys(TEXTS).length - 1)
  for (const [file, content] of output.files) {
    expect([file, /<\/script|<!--|[\u2028\u2029]/i.exec(content.toString())]).toEqual([file, null])
  }
})
