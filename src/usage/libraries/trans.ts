/** `<Trans>` of react-i18next: what the element says beside its key, and the text that its children make. */
import type { JSXElement, JSXOpeningElement, Node } from '@babel/types'
import { joinDetails, onlyText, optionsDetails } from '../keys/details.ts'
import { attributesOf, isNullish, propertyOf, unwrap } from '../syntax/tree.ts'
import type { Analysis, ElementDetails } from './library.ts'

/** Elements without attributes that stay as they are, react-i18next's `transKeepBasicHtmlNodesFor`. */
const KEPT_ELEMENTS = new Set(['br', 'strong', 'i', 'p'])

/** @param isOwn whether react-i18next's own component is meant: only then, the children may be the key */
export function transDetails(element: JSXOpeningElement, analysis: Analysis, isOwn: boolean): ElementDetails {
  const props = attributesOf(element)
  const parent = analysis.module.parentOf(element)
  const children = parent?.type === 'JSXElement' ? childrenOf(parent) : []
  const content = parent?.type === 'JSXElement' ? textOf(parent, analysis) : undefined
  const { value: options, isOpen: hasSpread } = propertyOf(props, 'tOptions')
  const values = propertyOf(props, 'values').value
  const all = [options, values].flatMap((given) => {
    const node = given && unwrap(given)
    if (isNullish(node)) return []
    return node.type === 'ObjectExpression' ? [optionsDetails(analysis, node)] : [{ texts: {}, isOpen: true }]
  })
  const own = optionsDetails(analysis, props)
  const details = joinDetails([own, ...all])
  // Versions differ in whether `{{ count }}` among the children counts.
  const isCounted = own.plural === undefined && children.some((child) => nameOf(child) === 'count')
  const text = onlyText(analysis, propertyOf(props, 'defaults').value) ?? (content === '' ? undefined : content)
  return {
    ...details,
    texts: text === undefined ? {} : { '': text },
    isOpen: details.isOpen || hasSpread || isCounted,
    ownKey: isOwn && !hasSpread && content !== '' ? content : undefined,
  }
}

/** The text of the children: `<0>...</0>` for elements, `{{ name }}` for values. `undefined`: it is computed. */
function textOf(element: JSXElement, analysis: Analysis): string | undefined {
  let text = ''
  for (const [index, child] of childrenOf(element).entries()) {
    const part = child.type === 'JSXElement' ? textOfElement(child, index, analysis) : textOfChild(child, analysis)
    if (part === undefined) return undefined
    text += part
  }
  return text
}

function textOfChild(child: Node, analysis: Analysis): string | undefined {
  // Compilers differ in whether a tab stays one.
  if (child.type === 'JSXText') return /\t/.test(cleaned(child.value)) ? undefined : cleaned(child.value)
  if (child.type === 'NullLiteral' || child.type === 'BooleanLiteral') return ''
  if (child.type === 'StringLiteral' || child.type === 'TemplateLiteral') return onlyText(analysis, child)
  if (child.type !== 'ObjectExpression') return undefined
  const name = nameOf(child)
  const format = onlyText(analysis, propertyOf(child, 'format').value)
  if (name === undefined) return undefined
  return format === undefined ? `{{${name}}}` : `{{${name}, ${format}}}`
}

function textOfElement(element: JSXElement, index: number, analysis: Analysis): string | undefined {
  const { name, attributes } = element.openingElement
  if (attributes.some(({ type }) => type === 'JSXSpreadAttribute')) return undefined
  const given = attributes.map((each) => (each.type === 'JSXAttribute' ? each.name.name : ''))
  // Both replace or reorder the children.
  if (given.includes('children') || given.includes('i18nIsDynamicList')) return undefined
  const props = given.filter((each) => each !== 'key' && each !== 'ref').length
  const children = childrenOf(element)
  const content = textOf(element, analysis)
  if (content === undefined) return undefined
  const kept = name.type === 'JSXIdentifier' && KEPT_ELEMENTS.has(name.name) && props === 0 ? name.name : undefined
  if (children.length === 0) return kept ? `<${kept}/>` : `<${index}></${index}>`
  const isText = children.length === 1 && children[0]?.type !== 'ObjectExpression' && children[0]?.type !== 'JSXElement'
  return kept && isText ? `<${kept}>${content}</${kept}>` : `<${index}>${content}</${index}>`
}

/** The children that React gets. */
function childrenOf({ children }: JSXElement): Node[] {
  return children.flatMap((child): Node[] => {
    if (child.type === 'JSXText') return cleaned(child.value) === '' ? [] : [child]
    if (child.type !== 'JSXExpressionContainer') return [child]
    return child.expression.type === 'JSXEmptyExpression' ? [] : [unwrap(child.expression)]
  })
}

/** The name of the value in `{{ name }}` and `{{ name: value, format: 'x' }}`. */
function nameOf(child: Node): string | undefined {
  if (child.type !== 'ObjectExpression') return undefined
  const names = child.properties.map((each) =>
    each.type === 'ObjectProperty' && !each.computed && each.key.type === 'Identifier' ? each.key.name : undefined,
  )
  const own = names.filter((name) => name !== 'format')
  return own.length === 1 ? own[0] : undefined
}

/** Text between tags as compilers read it: lines are trimmed and joined by a space. */
function cleaned(text: string): string {
  const lines = text.split(/\r\n|\n|\r/)
  const last = Math.max(
    0,
    lines.findLastIndex((line) => /[^ \t]/.test(line)),
  )
  return lines
    .map((line, at) => {
      const start = at === 0 ? line : line.replace(/^[ \t]+/, '')
      const trimmed = at === lines.length - 1 ? start : start.replace(/[ \t]+$/, '')
      return trimmed !== '' && at !== last ? `${trimmed} ` : trimmed
    })
    .join('')
}
