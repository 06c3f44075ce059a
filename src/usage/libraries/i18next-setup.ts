/** How an app sets up i18next: the options of `init`, followed through names, spreads, functions and imports. */
import type { Node } from '@babel/types'
import { Definitions } from '../flow/definitions.ts'
import { Strings } from '../flow/strings.ts'
import type { LibrarySetup } from '../model.ts'
import type { SetupField } from '../setup.ts'
import { isNullish, propertyOf, staticName, unwrap } from '../syntax/tree.ts'
import type { Analysis } from './library.ts'

const SETUP_OPTIONS: readonly (readonly [option: string, field: SetupField])[] = [
  ['defaultNS', 'defaultNamespaces'],
  ['ns', 'defaultNamespaces'],
  ['fallbackNS', 'fallbackNamespaces'],
  ['keySeparator', 'keySeparators'],
  ['nsSeparator', 'nsSeparators'],
  ['contextSeparator', 'formSeparators'],
  ['pluralSeparator', 'formSeparators'],
  ['contextSeparator', 'contextSeparators'],
  ['pluralSeparator', 'pluralSeparators'],
]

/** Options of `react` that change which key `<Trans>` makes of its children. */
const CHILDREN_OPTIONS = ['transKeepBasicHtmlNodesFor', 'transSupportBasicHtmlNodes', 'hashTransKey']

/** The values that an option may have. `isOpen`: it may have others. */
interface OptionValues {
  readonly values: readonly Node[]
  readonly isOpen: boolean
}

export class SetupReader {
  readonly #definitions: Definitions
  readonly #strings: Strings
  readonly #asking = new Set<Node>()

  /** @param isMain whether it is about the instance that the whole app uses */
  constructor(
    private readonly analysis: Analysis,
    private readonly isMain = true,
  ) {
    this.#definitions = new Definitions(analysis.module, analysis.libraries, analysis.imports)
    this.#strings = new Strings(this.#definitions)
  }

  /** Reads the options of `init`. */
  read(options: Node) {
    this.#add({ isUnclear: false })
    const ns = this.#valuesOf(options, 'ns')
    const defaults = this.#valuesOf(options, 'defaultNS')
    // Without `defaultNS`, `translation` is the default namespace if it is among others.
    const names = ns.values.flatMap((value) => this.#strings.settings(value) ?? [])
    if (defaults.values.length === 0 && (ns.values.length === 0 || names.includes('translation')))
      this.#add({ defaultNamespaces: ['translation'] })
    for (const [name, field] of SETUP_OPTIONS) {
      const { values, isOpen } = this.#valuesOf(options, name)
      for (const value of values) this.readValue(field, value)
      if (isOpen) this.#addUnclear(field, options)
    }
    this.#readReact(options)
    const { values: interpolation } = this.#valuesOf(options, 'interpolation')
    const prefixes = interpolation.map((value) => this.#valuesOf(value, 'nestingPrefix'))
    // Texts refer to keys in another way.
    if (prefixes.some(({ values, isOpen }) => isOpen || values.length > 0)) this.#addUnclear('prefixes', options)
  }

  /** Reads options of a single call, which may have separators of its own. */
  readCallOptions(options: Node) {
    for (const [name, field] of [
      ['keySeparator', 'keySeparators'],
      ['nsSeparator', 'nsSeparators'],
    ] as const) {
      const { value } = propertyOf(options, name)
      if (value) this.readValue(field, value, true)
    }
  }

  /** Reads the options of `react`, and those that `setDefaults` of react-i18next takes. */
  readReactOptions(react: Node) {
    const { values: prefixes, isOpen: mayHavePrefix } = this.#valuesOf(react, 'keyPrefix')
    if (mayHavePrefix || prefixes.length > 0) this.#addUnclear('prefixes', react)
    const children = CHILDREN_OPTIONS.map((name) => this.#valuesOf(react, name))
    if (children.some(({ values, isOpen }) => isOpen || values.length > 0)) this.#addUnclear('childrenKeys', react)
  }

  /** @param isExtra whether it says nothing about the rest of the setup */
  readValue(field: SetupField, value: Node, isExtra = false) {
    const names = this.#strings.settings(value)
    if (!names) this.#addUnclear(field, value, isExtra)
    else
      this.#add({
        ...(field === 'keySeparators' && names.length === 0 ? { isFlat: true } : { [field]: names }),
        isExtra,
      })
  }

  #readReact(options: Node) {
    const { values, isOpen } = this.#valuesOf(options, 'react')
    for (const value of values) this.readReactOptions(value)
    if (isOpen) for (const field of ['prefixes', 'childrenKeys'] as const) this.#addUnclear(field, options)
  }

  #add(setup: Partial<LibrarySetup>) {
    this.analysis.collector.addSetup(setup, this.isMain)
  }

  #addUnclear(field: LibrarySetup['unclear'][number], node: Node, isExtra = false) {
    this.analysis.collector.addUnclearSetup(field, node, { isMain: this.isMain, isExtra })
  }

  /** The values of an option, later properties before earlier ones. */
  #valuesOf(options: Node, name: string): OptionValues {
    // Options that are spread into themselves add nothing.
    if (this.#asking.has(options)) return { values: [], isOpen: false }
    this.#asking.add(options)
    try {
      const { definitions, isComplete } = this.#definitions.of(options)
      const all = definitions.map(({ node, isOpen }): OptionValues => {
        if (isNullish(node) || node.type === 'BooleanLiteral') return { values: [], isOpen: false }
        if (node.type !== 'ObjectExpression') return { values: [], isOpen: true }
        const found = this.#valuesIn(node.properties, name)
        return { ...found, isOpen: found.isOpen || isOpen === true }
      })
      return joined([...all, { values: [], isOpen: !isComplete || definitions.length === 0 }])
    } finally {
      this.#asking.delete(options)
    }
  }

  #valuesIn(properties: Extract<Node, { type: 'ObjectExpression' }>['properties'], name: string): OptionValues {
    let found: OptionValues = { values: [], isOpen: false }
    for (const property of properties) {
      if (property.type === 'SpreadElement') {
        found = joined([found, this.#valuesOf(unwrap(property.argument), name)])
        continue
      }
      const own = staticName(property.key, property.computed)
      if (own === undefined) found = { ...found, isOpen: true }
      else if (own !== name) continue
      else if (property.type === 'ObjectProperty') found = { values: [property.value], isOpen: false }
      else found = { values: [], isOpen: true }
    }
    return found
  }
}

function joined(all: readonly OptionValues[]): OptionValues {
  return { values: all.flatMap(({ values }) => values), isOpen: all.some(({ isOpen }) => isOpen) }
}
