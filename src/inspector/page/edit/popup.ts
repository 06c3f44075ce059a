/** The small editor: a key in all languages, saved through the inspector. Built by hand, so that no text is ever markup. */
import type { KeyAnswer, KeyText, TraceMatch } from '../../wire.ts'
import { inspectorLink, readKey, save } from './calls.ts'

export interface Popup {
  readonly isOpen: boolean
  /** `text`: what the page shows. */
  open(at: { readonly x: number; readonly y: number }, text: string, matches: readonly TraceMatch[]): void
  close(): void
}

export function createPopup(root: ShadowRoot, language: () => string): Popup {
  let box: HTMLElement | undefined
  let before: Element | null = null

  const close = () => {
    box?.remove()
    box = undefined
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    before = null
  }

  const begin = (at: { readonly x: number; readonly y: number }): HTMLElement => {
    close()
    before = document.activeElement
    const made = element('div', { class: 'popup', role: 'dialog', 'aria-label': 'Translation' })
    made.addEventListener('keydown', (event) => {
      // What is typed here is none of the app's shortcuts.
      event.stopPropagation()
      if (event.key === 'Escape') close()
    })
    root.append(made)
    box = made
    place(made, at)
    return made
  }

  const showChoice = (popup: HTMLElement, text: string, matches: readonly TraceMatch[]) => {
    const choices = matches.map((match) => {
      const button = element('button', { type: 'button' }, `${match.namespace} · ${match.key}`)
      button.append(element('div', { class: 'soft' }, match.message))
      button.addEventListener('click', () => void showKey(popup, match))
      return button
    })
    fill(popup, close, 'Which one?', [
      element('p', { class: 'soft' }, `${matches.length} translations can look like “${shorten(text)}”.`),
      element('div', { class: 'choices' }, ...choices),
    ])
    choices[0]?.focus()
  }

  const showNothing = (popup: HTMLElement, text: string) => {
    const link = element(
      'a',
      { href: inspectorLink({ search: text.slice(0, 100) }), target: '_blank' },
      'Search for it',
    )
    fill(popup, close, 'Not traced', [
      element(
        'p',
        {},
        `“${shorten(text)}” is no message of this project as far as can be told: it may be written into the source, come from elsewhere, or be put together from parts.`,
      ),
      link,
    ])
    link.focus()
  }

  const showKey = async (popup: HTMLElement, { namespace, key }: TraceMatch) => {
    fill(popup, close, key, [element('p', { class: 'soft' }, 'Loading')])
    try {
      const answer = await readKey(namespace, key)
      if (popup !== box) return
      const editors = ordered(answer.texts, language()).map((text) => editorOf(answer, text))
      fill(popup, close, key, [
        element('p', { class: 'soft' }, namespace),
        ...editors.map(({ node }) => node),
        element(
          'a',
          { href: inspectorLink({ key, of: namespace }), target: '_blank', class: 'soft' },
          'Open in the inspector',
        ),
      ])
      editors[0]?.field.focus()
    } catch (error) {
      if (popup === box) fill(popup, close, key, [element('p', { class: 'bad', role: 'alert' }, messageOf(error))])
    }
  }

  return {
    get isOpen() {
      return box !== undefined
    },
    open(at, text, matches) {
      const popup = begin(at)
      const [only] = matches
      if (!only) showNothing(popup, text)
      else if (matches.length > 1) showChoice(popup, text, matches)
      else void showKey(popup, only)
    },
    close,
  }
}

function editorOf({ namespace, key }: KeyAnswer, text: KeyText) {
  const { language, canEdit } = text
  const field = element('textarea', { lang: language, dir: 'auto', rows: '1', placeholder: text.text })
  let own = text.own
  let seen: Parameters<typeof save>[2] = { expected: text.inFile, theirs: text.theirs }
  field.value = own || (canEdit ? '' : text.text)
  field.readOnly = !canEdit
  field.rows = Math.min(6, Math.max(1, Math.ceil(field.value.length / 44)))
  const button = element('button', { type: 'button', class: 'primary', 'aria-label': `Save ${language}` }, 'Save')
  const say = element('span', { class: 'soft', role: 'status' })
  const row = element('div', { class: 'row' }, button, say)
  row.hidden = true
  const store = async () => {
    button.disabled = true
    say.className = 'soft'
    say.textContent = 'saving'
    try {
      const { done, problems } = await save({ language, namespace, key }, field.value, seen)
      if (done === 0) throw new Error(problems[0] ?? 'nothing was saved')
      own = field.value
      // What the service has of that is not known here.
      seen = { expected: field.value }
      say.textContent = 'saved'
    } catch (error) {
      say.className = 'bad'
      say.textContent = messageOf(error)
    } finally {
      button.disabled = field.value === own
    }
  }
  field.addEventListener('input', () => {
    row.hidden = false
    button.disabled = field.value === own
    say.textContent = ''
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void store()
  })
  button.addEventListener('click', () => void store())
  const label = element('label', {}, language, field)
  return { node: element('div', {}, label, row), field }
}

/** What the page speaks first. */
function ordered(texts: readonly KeyText[], language: string): readonly KeyText[] {
  const isOwn = (text: KeyText) => text.language.toLowerCase() === language.toLowerCase()
  return [...texts.filter(isOwn), ...texts.filter((text) => !isOwn(text))]
}

function fill(popup: HTMLElement, close: () => void, title: string, children: readonly Node[]): void {
  const button = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '✕')
  button.addEventListener('click', close)
  popup.replaceChildren(element('div', { class: 'head' }, element('h2', {}, title), button), ...children)
  const { left, top } = popup.getBoundingClientRect()
  place(popup, { x: left, y: top })
}

/** Where it was asked for, moved so that all of it is in the window. */
function place(popup: HTMLElement, { x, y }: { readonly x: number; readonly y: number }): void {
  const { width, height } = popup.getBoundingClientRect()
  popup.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`
  popup.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...children)
  return made
}

const shorten = (text: string) => (text.length > 80 ? `${text.trim().slice(0, 77)}…` : text.trim())
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
