/** The uses of a key in the project's sources: certain ones, possible ones, and none. */
import { describe, expect, test } from 'vitest'
import { startProject } from '../../helpers/project.ts'

const TEXTS = {
  'locales/en/common.json': { title: 'Title', 'menu.open': 'Open', 'a-b c.(d)': '', item_one: '1', item_other: '2' },
}

async function usesOf(key: string, code: string, file = 'src/app.tsx') {
  const { inspector } = await startProject({ files: { ...TEXTS, [file]: code }, inspector: true })
  return (await inspector.get(`uses?${new URLSearchParams({ namespace: 'common', key })}`)).json.uses
}

const LOAD = "import { load } from 'virtual:translations'\n"

describe('certain uses', () => {
  const codes: [string, string, string, string][] = [
    ['a call', 'title', "import { t } from 'i18next'\nt('common:title')", '2:1'],
    ['a member', 'title', `${LOAD}const t = await load('en', 'common')\ndocument.title = t.title`, '3:18'],
    ['an optional member', 'title', `${LOAD}let t\nt = await load('en', 'common')\nshow(t?.title)`, '4:6'],
    ['destructuring', 'title', `${LOAD}const { title } = await load('en', 'common')`, '2:9'],
    ['an imported module', 'title', "import t from 'virtual:translations/en/common'\nshow(t.title)", '2:6'],
    ['a form of a plural', 'item_one', "import { t } from 'i18next'\nt('common:item', { count })", '2:1'],
  ]
  test.each(codes)('%s', async (_, key, code, at) => {
    const { certain, possible, call } = await usesOf(key, code)
    expect(certain.map(({ place }: { place: string }) => place)).toEqual([`src/app.tsx:${at}`])
    expect([possible, call]).toEqual([[], undefined])
  })

  test('a pattern is named', async () => {
    const { certain } = await usesOf('menu.open', `import { t } from 'i18next'\nt(\`common:menu.\${x}\`)`)
    expect(certain).toEqual([{ place: 'src/app.tsx:2:1', pattern: 'common:menu.*' }])
  })

  test('a text in quotes that is not a key is not one of them', async () => {
    const code = "import { t } from 'i18next'\nt('common:title')\nelement.getAttribute('title')"
    expect((await usesOf('title', code)).certain).toHaveLength(1)
  })
})

describe('possible uses, if none is certain', () => {
  test.each([
    ['messages in a state', 'title', 'export const App = ({ t }) => <h1>{t.title}</h1>', ':1:37'],
    ['an optional member', 'menu.open', 'show(props.t?.menu?.open)', ':1:14'],
    ['a name with other characters', 'a-b c.(d)', 'say(`a-b c.(d)`)', ':1:5'],
    ['a text in quotes', 'menu.open', "const columns = [{ label: 'menu.open' }]", ':1:27'],
  ])('%s', async (_, key, code, at) => {
    const uses = await usesOf(key, code)
    expect(uses).toEqual({ certain: [], possible: [`src/app.tsx${at}`] })
  })

  test('also in a project without any file of the option "usage.files"', async () => {
    expect(await usesOf('title', '<b data-key="title">', 'page.html')).toMatchObject({ possible: ['page.html:1:13'] })
  })

  test('a longer name is none', async () => {
    expect(await usesOf('title', 'show(t.titles, subtitle, t.title2)')).toEqual({ certain: [], possible: [] })
  })
})

test('without any use, a call that may use it is named', async () => {
  const code = "import { useTranslation } from 'react-i18next'\nconst { t } = useTranslation('common')\nt(user.label)"
  expect(await usesOf('title', code)).toEqual({
    certain: [],
    possible: [],
    call: { code: 't(user.label)', place: 'src/app.tsx:3:1' },
  })
})

test('an edit of a source is seen', async () => {
  const { root, inspector } = await startProject({ files: { ...TEXTS, 'src/app.ts': '' }, inspector: true })
  const ask = async () => (await inspector.get('uses?namespace=common&key=title')).json.uses.certain
  expect(await ask()).toEqual([])
  const { writeTree } = await import('../../helpers/temp.ts')
  await writeTree(root, { 'src/app.ts': "import { t } from 'i18next'\nt('common:title')" })
  expect(await ask()).toHaveLength(1)
})
