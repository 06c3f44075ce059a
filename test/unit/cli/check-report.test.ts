import { expect, test } from 'vitest'
import { formatReport } from '../../../src/cli/check/report.ts'

test.each([
  [null, null, '  and 2 more findings of the rule unknown-call'],
  ['en', null, '  and 2 more findings of the rule unknown-call in en'],
  [null, 'common', '  and 2 more findings of the rule unknown-call in common'],
  ['en', 'common', '  and 2 more findings of the rule unknown-call in en/common'],
])('findings beyond the first five of language %s and namespace %s are counted', (language, namespace, expected) => {
  const finding = { rule: 'unknown-call', severity: 'warning', message: 'x', key: null, customer: null } as const
  const findings = Array.from({ length: 7 }, (_, line) => ({
    ...{ ...finding, language, namespace },
    ...{ file: 'a.ts', line, column: 1 },
  }))
  const data = { ok: true, languages: [], namespaces: [], texts: 0, errors: 0, warnings: 7, findings }
  expect(formatReport(data, (_, text) => text).split('\n')[5]).toBe(expected)
})
