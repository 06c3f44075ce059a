/** How i18next is set up, where a module shows it: `init({ defaultNS, fallbackNS, ns, nsSeparator, ... })`. */
import type { Node } from '@babel/types'
import type { Tools } from './calls.ts'
import type { LibrarySetup } from './model.ts'
import { bareNode, type CallNode, isCall, isMember, memberName, propertyOf } from './tree.ts'
import { plain } from './values.ts'

interface Draft {
  readonly defaultNamespaces: Set<string>
  readonly fallbackNamespaces: Set<string>
  readonly keySeparators: Set<string>
  readonly nsSeparators: Set<string>
  readonly formSeparators: Set<string>
  isUnclear: boolean
  isSeen: boolean
}

export interface SetupReader {
  read(call: Extract<CallNode, { type: 'CallExpression' | 'OptionalCallExpression' }>): void
  attribute(node: Extract<Node, { type: 'JSXAttribute' }>): void
  result(): LibrarySetup | undefined
}

/** Options by which an i18next configuration is told from other objects. */
const TELLING = [
  'lng',
  'fallbackLng',
  'ns',
  'defaultNS',
  'fallbackNS',
  'resources',
  'supportedLngs',
  'interpolation',
  'backend',
]

export function createSetupReader({ values, finder, readTexts }: Tools): SetupReader {
  const draft: Draft = {
    defaultNamespaces: new Set(),
    fallbackNamespaces: new Set(),
    keySeparators: new Set(),
    nsSeparators: new Set(),
    formSeparators: new Set(),
    isUnclear: false,
    isSeen: false,
  }

  function textsOf(node: Node): string[] | undefined {
    const bare = bareNode(node)
    if (bare.type === 'BooleanLiteral' || bare.type === 'NullLiteral') return []
    const { targets, isComplete } = finder.of(bare)
    if (!isComplete) return undefined
    const all = targets.map(({ node: target }) => {
      if (target.type === 'BooleanLiteral') return []
      if (target.type !== 'ArrayExpression') return plain(readTexts(target))
      const elements = finder.elements(target)
      const texts = elements.targets.map((element) => plain(readTexts(element.node)))
      return elements.isComplete && texts.every((each) => each !== undefined) ? texts.flat() : undefined
    })
    return all.every((each) => each !== undefined) ? all.flat() : undefined
  }

  function add(into: Set<string>, node: Node | undefined) {
    if (!node) return
    const texts = textsOf(node)
    if (texts) for (const text of texts) into.add(text)
    else draft.isUnclear = true
  }

  function readOptions(node: Node) {
    const { targets, isComplete } = finder.of(node)
    const objects = targets.filter(({ node: target }) => target.type === 'ObjectExpression')
    draft.isSeen = true
    if (!isComplete || objects.length < targets.length) draft.isUnclear = true
    for (const { node: options, isOpen } of objects) {
      const get = (name: string) => {
        const { value, isOpen: isSpread } = propertyOf(options, name)
        if (!value && isSpread) draft.isUnclear = true
        return value
      }
      if (isOpen) draft.isUnclear = true
      const defaults = get('defaultNS')
      add(draft.defaultNamespaces, defaults)
      const ns = get('ns')
      add(draft.defaultNamespaces, ns)
      if (!defaults && !ns) draft.defaultNamespaces.add('translation')
      add(draft.fallbackNamespaces, get('fallbackNS'))
      add(draft.keySeparators, get('keySeparator'))
      add(draft.nsSeparators, get('nsSeparator'))
      add(draft.formSeparators, get('contextSeparator'))
      add(draft.formSeparators, get('pluralSeparator'))
    }
  }

  function isOptions(node: Node): boolean {
    return finder
      .of(node)
      .targets.some(({ node: target }) => TELLING.some((name) => propertyOf(target, name).value !== undefined))
  }

  return {
    read(call) {
      const callee = bareNode(call.callee)
      const [first, second] = call.arguments
      const name = isMember(callee) ? memberName(callee) : values.origin(callee)?.name
      if (name === 'setDefaultNamespace') {
        draft.isSeen = true
        return first ? add(draft.defaultNamespaces, first) : undefined
      }
      if (name === 'createInstance' || (name === 'init' && isMember(callee))) {
        const object = isMember(callee) ? values.of(callee.object) : undefined
        const isLibrary =
          object?.kind === 'holder' || (name === 'createInstance' && values.origin(callee)?.source === 'i18next')
        const options = first && bareNode(first)
        if (!options) return
        if (isLibrary ? name === 'init' || isOptions(options) : isOptions(options)) readOptions(options)
        return
      }
      // `initReactI18next`'s and Next.js's own: options as an argument of a function of theirs.
      for (const argument of [first, second])
        if (
          argument &&
          isCall(call) &&
          bareNode(argument).type === 'ObjectExpression' &&
          propertyOf(bareNode(argument), 'defaultNS').value
        )
          readOptions(bareNode(argument))
    },
    attribute(node) {
      if (node.name.name !== 'defaultNS' || !node.value) return
      const value = node.value.type === 'JSXExpressionContainer' ? node.value.expression : node.value
      draft.isSeen = true
      add(draft.defaultNamespaces, value)
    },
    result() {
      if (!draft.isSeen) return undefined
      return {
        defaultNamespaces: [...draft.defaultNamespaces],
        fallbackNamespaces: [...draft.fallbackNamespaces],
        keySeparators: [...draft.keySeparators],
        nsSeparators: [...draft.nsSeparators],
        formSeparators: [...draft.formSeparators],
        isUnclear: draft.isUnclear,
      }
    },
  }
}
