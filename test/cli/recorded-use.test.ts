/** `localization record`, and what `check` and `check --remove` make of the recorded keys. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { recordResult } from '../../src/cli/record.ts'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const APP = `import { t } from 'i18next'
t('title')
export const LABELS = ['menu.open']
export const codeOf = (code) => \`errors.\${code}\`
`
const TEXTS = {
  title: 'Title',
  menu: { open: 'Open' },
  errors: { network: 'No network' },
  server: { welcome: 'Hello' },
  steps: ['One', 'Two'],
  old: 'Old',
  older: 'Older',
  last: 'Last',
}

async function project(lines: readonly unknown[] = [], more: Readonly<Record<string, string | object>> = {}) {
  const cwd = await tempFolder()
  await writeTree(cwd, {
    'src/app.js': APP,
    'locales/en/common.json': TEXTS,
    ...(lines.length > 0 && {
      '.localization/recorded/1-a.jsonl': `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    }),
    ...more,
  })
  const used = () => readFile(join(cwd, 'localization.used.json'), 'utf8')
  const texts = () => readFile(join(cwd, 'locales/en/common.json'), 'utf8')
  return { cwd, used, texts }
}

test('the keys of all runs are merged into one file, a line each', async () => {
  const first = [
    ['common', 'server.welcome'],
    ['common', 'title'],
    ['common', 'steps'],
    ['elsewhere', 'x'],
  ]
  const { cwd, used } = await project(first, {
    // What a killed process did not finish.
    '.localization/recorded/2-b.jsonl': '["common","title"]\n["common","ol',
  })
  const dry = await runCli(['record', '--dry-run'], { cwd })
  expect(dry).toMatchObject({ code: 0 })
  expect(dry.stdout).toContain('would write localization.used.json: 5 keys, 5 new, 0 removed')
  await expect(used()).rejects.toThrow('ENOENT')

  const run = await runCli(['record', '--json'], { cwd })
  expect(run.code).toBe(0)
  expect(run.json(recordResult)).toMatchObject({ dryRun: false, keys: 5, removed: [], missing: [], whole: [] })
  expect(await used()).toBe(
    [
      '{',
      '  "version": 1,',
      '  "keys": [',
      '    {"namespace":"common","key":"server.welcome"},',
      '    {"namespace":"common","key":"steps"},',
      '    {"namespace":"common","key":"steps.0"},',
      '    {"namespace":"common","key":"steps.1"},',
      '    {"namespace":"common","key":"title"}',
      '  ]',
      '}',
      '',
    ].join('\n'),
  )
  expect(await readdir(join(cwd, '.localization/recorded'))).toEqual([])
  const again = await runCli(['record'], { cwd })
  expect(again.code).toBe(1)
  expect(again.stderr).toContain('nothing was recorded')
  expect(again.stderr).toContain('LOCALIZATION_RECORD=1')
})

test('a later run adds keys; keys that no language has any more leave the file', async () => {
  const { cwd, used } = await project([['common', 'old']], {
    'localization.used.json': {
      version: 1,
      keys: [
        { namespace: 'common', key: 'gone' },
        { namespace: 'common', key: 'title' },
      ],
    },
  })
  const run = await runCli(['record'], { cwd })
  expect(run.stdout).toBe(
    'new:\n  common "old"\nremoved:\n  common "gone"\nlocalization.used.json: 2 keys, 1 new, 1 removed\n',
  )
  await writeTree(cwd, { '.localization/recorded/3.jsonl': '["common","last"]\n' })
  await runCli(['record', '--replace'], { cwd })
  expect(JSON.parse(await used()).keys).toEqual([{ namespace: 'common', key: 'last' }])
})

test('a recorded plural form brings the other forms: another count or language needs them', async () => {
  const texts = { bags_one: 'a bag', bags_other: 'bags', place_ordinal_one: '1st', place_ordinal_other: 'nth' }
  const recorded = [
    ['common', 'bags_few'],
    ['common', 'place_ordinal_one'],
  ]
  const { cwd } = await project(recorded, { 'locales/en/common.json': { ...texts, place_one: 'a place' } })
  const run = await runCli(['record', '--json'], { cwd })
  expect(run.json(recordResult)).toMatchObject({
    added: Object.keys(texts).map((key) => ({ namespace: 'common', key })),
    missing: [],
  })
})

test('requests that nothing answers are missing keys; plural forms and fallbacks are not', async () => {
  const { cwd, used } = await project([
    ['common', 'basket_one', false],
    ['common', 'basket', false],
    ['common', 'old_one', false],
    ['common', 'old'],
    ['common', 'unknown', false],
    ['common', 'unknown_other', false],
    ['other', 'not.a.namespace', false],
  ])
  const run = await runCli(['record', '--json'], { cwd })
  expect(run.json(recordResult).missing).toEqual([
    { namespace: 'common', key: 'basket' },
    { namespace: 'common', key: 'unknown' },
  ])
  const check = await runCli(['check', '--missing-in-code', '--json'], { cwd })
  expect(check.code).toBe(0)
  const missing = { rule: 'missing-in-code', severity: 'warning', namespace: 'common' }
  expect(check.json(checkResult).findings).toMatchObject([
    {
      ...missing,
      key: 'basket',
      message: '"basket" was used while the app ran, and no language has it in common',
    },
    { ...missing, key: 'unknown' },
  ])
  // It is no longer asked for.
  await writeTree(cwd, { '.localization/recorded/4.jsonl': '["common","old"]\n' })
  await runCli(['record'], { cwd })
  expect(JSON.parse(await used()).keys).toEqual([{ namespace: 'common', key: 'old' }])
})

test('a page that copies all messages is told', async () => {
  const keys = Array.from({ length: 21 }, (_, i) => `k${i}`)
  const { cwd } = await project(
    keys.map((key) => ['many', key]),
    { 'locales/en/many.json': Object.fromEntries(keys.map((key) => [key, key])) },
  )
  const run = await runCli(['record'], { cwd })
  expect(run.stdout).toContain('every key of many was used; code that copies all messages uses every key')
})

test('check --unused says how it judged each key, with recorded keys and texts in the code', async () => {
  const { cwd } = await project([['common', 'server.welcome']])
  await runCli(['record'], { cwd })
  const run = await runCli(['check', '--unused', '--keep', 'last', '--json'], { cwd })
  expect(run.code).toBe(1)
  const { usage, findings } = run.json(checkResult)
  expect(usage).toMatchObject({ keys: 9, used: 3, recorded: 1 })
  expect(usage?.judged?.[0]).toMatchObject({ key: 'title', judgement: 'key' })
  expect(usage?.judged?.slice(1).map(({ key, judgement, by, at }) => [key, judgement, by, at])).toEqual([
    ['menu.open', 'named', 'menu.open', 'src/app.js:3:24'],
    ['errors.network', 'named', 'errors.*', 'src/app.js:4:33'],
    ['server.welcome', 'recorded', 'server.welcome', null],
    ['steps.0', 'unused', null, null],
    ['steps.1', 'unused', null, null],
    ['old', 'unused', null, null],
    ['older', 'unused', null, null],
    ['last', 'keep', expect.any(String), null],
  ])
  expect(findings.map(({ key, severity }) => [key, severity])).toEqual([
    ['menu.open', 'warning'],
    ['errors.network', 'warning'],
    ['steps.0', 'error'],
    ['steps.1', 'error'],
    ['old', 'error'],
    ['older', 'error'],
  ])
  const text = await runCli(['check', '--unused', '--keep', 'last'], { cwd })
  expect(text.stdout).toContain(
    'warning "menu.open" is used by no source that is understood; src/app.js:3 has "menu.open" (unused)',
  )
  expect(text.stdout).toContain('3 keys of 9 used by 1 source file, with 1 recorded key of localization.used.json\n')
  expect(text.stdout).toContain(
    '1 named in the code, 1 by the option keep, 1 recorded while the app ran, ' +
      '2 unused, but a text in the code has it, 4 unused (--verbose lists each key)',
  )
  const all = await runCli(['check', '--unused', '--keep', 'last', '--verbose'], { cwd })
  expect(all.stdout).toContain(
    '  common "errors.network" unused, but a text in the code has it: errors.* (src/app.js:4:33)\n' +
      '  common "server.welcome" recorded while the app ran\n' +
      '  common "steps.0" unused\n',
  )
})

test('--remove needs a recorded run, shows the difference, and leaves keys that a text names', async () => {
  const { cwd, texts } = await project()
  const before = await texts()
  const refused = await runCli(['check', '--remove', '--yes'], { cwd })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('nothing removed: localization.used.json has no recorded use of the app')
  expect(refused.stderr).toContain('--without-recording')
  const preview = await runCli(['check', '--remove', '--dry-run'], { cwd })
  expect(preview.stderr).toContain('without --dry-run, nothing would be removed')
  expect(await texts()).toBe(before)

  await writeTree(cwd, { '.localization/recorded/5.jsonl': '["common","server.welcome"]\n' })
  await runCli(['record'], { cwd })
  const dry = await runCli(['check', '--remove', '--dry-run', '--force'], { cwd })
  const difference = [
    '--- locales/en/common.json',
    '@@ line 11 @@',
    '-  },',
    '+  }',
    '-  "steps": [',
    '-    "One",',
    '-    "Two"',
    '-  ],',
    '-  "old": "Old",',
    '-  "older": "Older",',
    '-  "last": "Last"',
  ].join('\n')
  expect(dry.stderr).toContain(difference)
  expect(await texts()).toBe(before)
  const done = await runCli(['check', '--remove', '--yes', '--force', '--json'], { cwd })
  expect(done.code).toBe(0)
  const { usage } = done.json(checkResult)
  expect(usage?.removed.map(({ key }) => key)).toEqual(['steps.0', 'steps.1', 'old', 'older', 'last'])
  const { title, menu, errors, server } = TEXTS
  expect(JSON.parse(await texts())).toEqual({ title, menu, errors, server })
})

test('--remove --without-recording; a recorded key and an element of a named array stay', async () => {
  const { cwd, texts } = await project([], { 'src/steps.js': "export const LIST = 'steps'\n" })
  expect((await runCli(['check', '--unused', '--without-recording'], { cwd })).code).toBe(2)
  await runCli(['check', '--remove', '--yes', '--without-recording', '--namespace', 'common'], { cwd })
  const { title, menu, errors, steps } = TEXTS
  expect(JSON.parse(await texts())).toEqual({ title, menu, errors, steps })
})

test('a file of recorded keys that is damaged is an error', async () => {
  const { cwd } = await project([['common', 'title']], { 'localization.used.json': '<<<<<<< ours\n' })
  for (const command of [['record'], ['check', '--unused']]) {
    const run = await runCli(command, { cwd })
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('localization.used.json')
    expect(run.stderr).toContain('is no list of recorded keys')
  }
  expect(await readdir(join(cwd, '.localization/recorded'))).toHaveLength(1)
})
