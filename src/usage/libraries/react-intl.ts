/** react-intl, and FormatJS functions with the same names. */

import type { ObjectExpression } from '@babel/types'
import { ELEMENTS } from '../flow/allocation.ts'
import { makesDescriptors, readDescriptor } from '../keys/keys.ts'
import { staticName } from '../syntax/tree.ts'
import type { Analysis, Call, Library } from './library.ts'

export const reactIntl: Library = {
  functions: ['formatMessage'],
  methods: ['formatHTMLMessage'],
  translators: ['intl', '$intl'],
  factories: ['useIntl', 'createIntl'],
  components: { FormattedMessage: 'id', FormattedHTMLMessage: 'id' },
  descriptorMakers: ['defineMessages', 'defineMessage'],
  packages: /^(?:react-intl|@formatjs\/intl)$/,
  plurals: 'messages',
  words: ['defaultMessage'],
  fragments: ['intl.messages', 'intl?.messages'],
  data: { messages: { isCommon: true, key: 'next', of: /^(?:\$?i|useI|createI)ntl$/ } },

  readCall(call, analysis) {
    if (call.name === 'defineMessages' || call.name === 'defineMessage') readDefinitions(analysis, call)
  },

  /** Reads descriptors anywhere, except those that a call or element, which comes before them, has read. */
  readNodes: {
    ObjectExpression(node, analysis) {
      if (isDescriptor(node) && !analysis.collector.readDescriptors.has(node))
        readDescriptor(analysis, node, { place: node, namespaces: 'any' })
    },
  },
}

function isDescriptor({ properties }: ObjectExpression): boolean {
  const names = properties.map((each) => (each.type === 'SpreadElement' ? '' : staticName(each.key, each.computed)))
  return names.includes('id') && names.includes('defaultMessage')
}

/** Reads `defineMessage({ id })`, `defineMessages({ title: { id } })` and `defineMessages([{ id }])`. */
function readDefinitions(analysis: Analysis, { node: place, name, args: [first] }: Call) {
  const { collector, definitions } = analysis
  const lookup = { place, namespaces: 'any' } as const
  const { nodes, isComplete } = first ? definitions.of(first) : { nodes: [], isComplete: false }
  collector.addDescriptors(false)
  if (!isComplete || nodes.length === 0) collector.addUnknown(lookup, 'key')
  for (const node of nodes) {
    if (name === 'defineMessage') readDescriptor(analysis, node, lookup)
    else if (node.type !== 'ObjectExpression' && node.type !== 'ArrayExpression') collector.addUnknown(lookup, 'key')
    else {
      collector.addDescriptors(
        node.type === 'ObjectExpression' && node.properties.some(({ type }) => type === 'SpreadElement'),
      )
      for (const descriptor of definitions.at(node, ELEMENTS).nodes)
        if (!makesDescriptors(analysis, descriptor))
          readDescriptor(analysis, descriptor, { ...lookup, place: descriptor.loc ? descriptor : place })
    }
  }
}
