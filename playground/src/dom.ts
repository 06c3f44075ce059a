/**
 * Elements that stay, with texts that follow: the page is built once, and `refresh` runs again what depends on texts or
 * state.
 */

type Attribute = string | number | boolean | undefined
type Properties = Record<string, Attribute | (() => Attribute) | ((event: Event) => void)>
type Child = Node | string | (() => string)

const live = new Set<() => void>()

/** Runs now, and again at every `refresh`. */
export function follow(effect: () => void): void {
  live.add(effect)
  effect()
}

export function refresh(): void {
  for (const effect of live) effect()
}

/**
 * Makes an element. `on...` properties are listeners, other functions are followed; `false` and `undefined` take the
 * attribute away.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as (event: Event) => void)
    else if (typeof value === 'function') follow(() => setAttribute(element, name, (value as () => Attribute)()))
    else setAttribute(element, name, value)
  }
  for (const child of children) {
    if (typeof child !== 'function') element.append(child)
    else {
      const text = document.createTextNode('')
      element.append(text)
      follow(() => {
        const next = child()
        if (text.data !== next) text.data = next
      })
    }
  }
  return element
}

/** A drawing from constant markup of this program. */
export function drawing(markup: string): Element {
  const template = document.createElement('template')
  template.innerHTML = markup
  const element = template.content.firstElementChild
  if (!element) throw new Error('a drawing needs one element')
  return element
}

function setAttribute(element: Element, name: string, value: Attribute): void {
  if (value === undefined || value === false) element.removeAttribute(name)
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : String(value))
}
