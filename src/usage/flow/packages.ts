/** Which functions are known to leave their arguments alone: those of translation libraries and of frameworks. */
import type { Node } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import type { Binding } from '../syntax/scope.ts'
import { isCall, isMember, memberName, unwrap } from '../syntax/tree.ts'
import { ELEMENT_MAKERS, FRAMEWORK } from './methods.ts'

/** What is known about translation libraries. */
export interface KnownLibraries {
  readonly all: readonly { readonly packages?: RegExp | undefined }[]
  has(field: 'methods' | 'factories' | 'descriptorMakers' | 'queries', name: string): boolean
}

export class Packages {
  constructor(
    private readonly module: Module,
    private readonly libraries: KnownLibraries | undefined,
  ) {}

  /** True for functions that promise not to change what they get, but may hand it to other code of the app. */
  isOfFramework(callee: Node): boolean {
    return FRAMEWORK.test(this.sourceOf(callee) ?? '') || this.makesElements(callee)
  }

  makesElements(callee: Node): boolean {
    const name = isMember(callee) ? memberName(callee) : callee.type === 'Identifier' ? callee.name : undefined
    return ELEMENT_MAKERS.test(name ?? '')
  }

  /** True for functions of translation libraries, which only read their arguments. */
  isReadingCallee(callee: Node): boolean {
    if (isMember(callee)) return this.isReadingMethod(callee.object, memberName(callee) ?? '')
    if (callee.type !== 'Identifier') return false
    const imported = this.module.bindingOf(callee)?.import?.imported
    return this.#isNameOfLibrary(imported ?? callee.name) || this.#isLibrary(this.sourceOf(callee))
  }

  isReadingMethod(object: Node, name: string): boolean {
    return (
      this.#isNameOfLibrary(name) ||
      /^(?:init|createInstance|use)$/.test(name) ||
      this.#isLibrary(this.sourceOf(object))
    )
  }

  #isNameOfLibrary(name: string): boolean {
    const { libraries } = this
    return (
      libraries !== undefined &&
      (['methods', 'factories', 'descriptorMakers', 'queries'] as const).some((field) => libraries.has(field, name))
    )
  }

  #isLibrary(source: string | undefined): boolean {
    return source !== undefined && this.libraries?.all.some(({ packages }) => packages?.test(source)) === true
  }

  /** The package or file that the expression comes from, through the names and calls of this module. */
  sourceOf(node: Node): string | undefined {
    const seen = new Set<Binding>()
    for (let at: Node | undefined = unwrap(node); at; ) {
      if (isMember(at) || isCall(at)) at = unwrap(isCall(at) ? at.callee : at.object)
      const binding: Binding | undefined = at.type === 'Identifier' ? this.module.bindingOf(at) : undefined
      if (!binding) {
        if (isMember(at) || isCall(at)) continue
        return undefined
      }
      if (binding.import) return binding.import.source
      const [only, ...others] = binding.assignments
      if (seen.has(binding) || others.length > 0 || only?.source.kind !== 'expression') return undefined
      seen.add(binding)
      at = unwrap(only.source.node)
    }
    return undefined
  }
}
