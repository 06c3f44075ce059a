/** The parts of an ICU message that checks need: its arguments, plurals and selects. Pure. */
import {
  isArgumentElement,
  isLiteralElement,
  isNumberElement,
  isPluralElement,
  isPoundElement,
  isSelectElement,
  isTagElement,
  type MessageFormatElement,
  type PluralElement,
} from '@formatjs/icu-messageformat-parser'
import type { PluralType } from './plural-rules.ts'

export interface IcuPlural {
  readonly name: string
  readonly type: PluralType
  readonly offset: number
  /** The numbers that have their own form, such as `=0`. */
  readonly exact: ReadonlySet<number>
  /** The categories. The value is true if the category's form shows the number. */
  readonly categories: ReadonlyMap<string, boolean>
}

export interface IcuMessage {
  readonly names: ReadonlySet<string>
  /** The arguments whose values the text shows. Other arguments only select a form. */
  readonly shown: ReadonlySet<string>
  /** The numbers that the text shows outside their plurals, as in `{n} {n, plural, one {file} other {files}}`. */
  readonly besidePlurals: ReadonlySet<string>
  readonly plurals: readonly IcuPlural[]
  /** The branches of all selects, by argument. */
  readonly selects: ReadonlyMap<string, ReadonlySet<string>>
}

/** @param elements a message that was parsed with `ignoreTag` */
export function readIcuMessage(elements: readonly MessageFormatElement[]): IcuMessage {
  const message = {
    names: new Set<string>(),
    shown: new Set<string>(),
    besidePlurals: new Set<string>(),
    plurals: [] as IcuPlural[],
    selects: new Map<string, Set<string>>(),
  }
  const visit = (children: readonly MessageFormatElement[], around: readonly string[]): void => {
    for (const element of children) {
      if (isLiteralElement(element)) continue
      if (isPoundElement(element)) {
        message.shown.add(around.at(-1) ?? '')
        continue
      }
      if (isTagElement(element)) {
        visit(element.children, around)
        continue
      }
      const { value: name } = element
      message.names.add(name)
      if (isPluralElement(element)) {
        message.plurals.push(readPlural(element))
        for (const { value } of Object.values(element.options)) visit(value, [...around, name])
      } else if (isSelectElement(element)) {
        const branches = message.selects.get(name) ?? new Set()
        message.selects.set(name, branches)
        for (const [branch, { value }] of Object.entries(element.options)) {
          branches.add(branch)
          visit(value, around)
        }
      } else {
        message.shown.add(name)
        if (!around.includes(name)) message.besidePlurals.add(name)
      }
    }
  }
  visit(elements, [])
  return message
}

function readPlural({ value: name, offset, pluralType, options }: PluralElement): IcuPlural {
  const exact = new Set<number>()
  const categories = new Map<string, boolean>()
  for (const [option, { value }] of Object.entries(options)) {
    if (option.startsWith('=')) exact.add(Number(option.slice(1)))
    else categories.set(option, showsNumber(value, name, true))
  }
  return { name, type: pluralType ?? 'cardinal', offset, exact, categories }
}

/** @param isOwn true if `#` is this plural's number, not that of a plural inside it */
function showsNumber(elements: readonly MessageFormatElement[], name: string, isOwn: boolean): boolean {
  return elements.some((element) => {
    if (isPoundElement(element)) return isOwn
    if (isArgumentElement(element) || isNumberElement(element)) return element.value === name
    if (isTagElement(element)) return showsNumber(element.children, name, isOwn)
    if (!isPluralElement(element) && !isSelectElement(element)) return false
    const isSame = isPluralElement(element) ? element.value === name : isOwn
    return Object.values(element.options).some(({ value }) => showsNumber(value, name, isSame))
  })
}
