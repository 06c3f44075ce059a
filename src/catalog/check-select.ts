/** The branches of ICU's `select`: apps choose them by name, so every language has the same. Pure. */
import type { IcuMessage } from './icu-message.ts'
import { error, type Problem, warning } from './problem.ts'

/** One problem for each argument whose branches differ. The parser requires the branch `other`. */
export function checkSelects(own: IcuMessage, reference: IcuMessage): Problem[] {
  return [...own.selects].flatMap(([name, branches]) => {
    const expected = reference.selects.get(name)
    // One form for everything is right where the language makes no difference.
    if (!expected || branches.size === 1) return []
    const missing = [...expected].filter((branch) => !branches.has(branch))
    const unknown = [...branches].filter((branch) => !expected.has(branch))
    const parts = [
      ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
      ...(unknown.length > 0 ? [`has ${unknown.join(', ')}, which the default language does not`] : []),
    ]
    if (parts.length === 0) return []
    // A missing branch shows `other`; an unknown one is never shown.
    return [(unknown.length > 0 ? error : warning)('select', `${parts.join(' and ')}: branches of {${name}}`)]
  })
}
