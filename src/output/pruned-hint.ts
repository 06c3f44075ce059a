/** In development builds of an app: messages that warn when code reads a key that was pruned. */
import { stringLiteral } from './literal.ts'

export interface PrunedHint {
  readonly language: string
  readonly namespace: string
  /** Keys that the full catalog has, and these texts have not. */
  readonly pruned: readonly string[]
}

/** The module of `value`, an expression. Without pruned keys the plain one. */
export function hintingModule(value: string, { language, namespace, pruned }: PrunedHint): string {
  if (pruned.length === 0) return `export default ${value}\n`
  const place = stringLiteral(`${language}/${namespace}`)
  return [
    `const messages = ${value}`,
    `const pruned = new Set(${JSON.stringify(pruned).replaceAll('<', '\\u003c')})`,
    'export default new Proxy(messages, {',
    '  get(target, key) {',
    '    if (pruned.delete(key)) {',
    `      const what = 'the key "' + key + '" of ' + ${place} + ' was pruned'`,
    "      console.warn('[unplugin-localization] ' + what + ': no call names it. Add it to prune.keep.')",
    '    }',
    '    return Reflect.get(target, key)',
    '  },',
    '})',
    '',
  ].join('\n')
}
