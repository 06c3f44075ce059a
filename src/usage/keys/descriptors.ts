/** Message descriptors: objects with the key as their `id`, `{ id: 'title', defaultMessage: 'Title' }`. */
import type { Node } from '@babel/types'
import type { Lookup } from '../collector.ts'
import type { Analysis } from '../libraries/library.ts'
import { type CallNode, isCall, isMember, propertyOf, unwrap } from '../syntax/tree.ts'
import { descriptorDetails } from './details.ts'

/** Collects the key of one descriptor. The directive `v-t` calls it `path` or `key`. */
export function readDescriptor(analysis: Analysis, descriptor: Node, lookup: Lookup) {
  const { strings, collector } = analysis
  const { value, isOpen } = propertyOf(descriptor, 'id')
  const other = isOpen ? undefined : (propertyOf(descriptor, 'path').value ?? propertyOf(descriptor, 'key').value)
  const key = value ?? other
  const details = () => descriptorDetails(analysis, descriptor)
  if (key) collector.addKeys({ ...lookup, details }, strings.of(key))
  else collector.addUnknown(lookup, 'key')
}

/** `defineMessages(...)`. */
export function makesDescriptors({ values, libraries }: Analysis, node: Node): node is CallNode {
  return isCall(node) && libraries.has('descriptorMakers', values.origin(node.callee)?.name)
}

/**
 * The module that a descriptor comes from: `messages.title`, where `messages` is imported. If that module defines
 * descriptors, it names their ids itself.
 */
export function descriptorSource(analysis: Analysis, node: Node): Lookup['unless'] {
  let object = node
  while (isMember(object)) object = unwrap(object.object)
  if (object.type !== 'Identifier') return undefined
  const source = analysis.module.bindingOf(object)?.import?.source
  if (source !== undefined) return { descriptorsOf: source }
  const { definitions, isComplete } = analysis.definitions.of(object)
  const isOwn = definitions.length > 0 && definitions.every((each) => makesDescriptors(analysis, each.node))
  return isComplete && isOwn ? { descriptorsOf: '.' } : undefined
}
