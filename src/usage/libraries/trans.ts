/** `<Trans>` of react-i18next: its default text and its other attributes. */
import type { JSXOpeningElement } from '@babel/types'
import { joinDetails, onlyText, optionsDetails } from '../keys/details.ts'
import type { UseDetails } from '../model.ts'
import { attributesOf, isNullish, propertyOf, unwrap } from '../syntax/tree.ts'
import type { Analysis } from './library.ts'
import { elementOf, nameOfValue, textsOfChildren } from './trans-children.ts'

export function transDetails(element: JSXOpeningElement, analysis: Analysis): UseDetails {
  const props = attributesOf(element)
  const parent = analysis.module.parentOf(element)
  const children = (parent && elementOf(analysis, parent)?.children) ?? []
  const [content, ...others] = textsOfChildren(analysis, children)
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
  const isCounted =
    own.plural === undefined && children.some((child) => child && nameOfValue(unwrap(child)) === 'count')
  const isText = content !== undefined && others.length === 0 && !content.isPattern && content.text !== ''
  const text = onlyText(analysis, propertyOf(props, 'defaults').value) ?? (isText ? content.text : undefined)
  return {
    ...details,
    texts: text === undefined ? {} : { '': text },
    isOpen: details.isOpen || hasSpread || isCounted,
  }
}
