import { basket } from './basket.ts'
import { behind } from './behind.ts'
import { drawing, follow, h, refresh } from './dom.ts'
import { direction, ownName } from './format.ts'
import { announcement, hero, shelf } from './shop.ts'
import { bagCount, state, update } from './state.ts'
import { chooseLanguage, language, languageKeys, needNamespace, onTextsChanged, t } from './texts.ts'

const STORED = 'playground-language'
let sheet: HTMLDialogElement | undefined

function preferredLanguage(): string | undefined {
  const asked = [new URLSearchParams(location.search).get('language'), stored(), ...navigator.languages]
  return asked
    .flatMap((tag) => (tag ? [tag, tag.split('-', 1)[0]] : []))
    .find((tag): tag is string => tag !== undefined && languageKeys().includes(tag))
}

/** Storage may be forbidden: then the choice lasts as long as the page. */
function stored(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}

function store(key: string): void {
  try {
    localStorage.setItem(STORED, key)
  } catch {}
}

/** Runs what fetches texts; the page stays as it is, and says so, when that fails. */
async function withTexts(work: () => Promise<void>): Promise<void> {
  document.body.setAttribute('aria-busy', 'true')
  try {
    await work()
    update({ failed: false })
  } catch {
    update({ failed: true })
  } finally {
    document.body.removeAttribute('aria-busy')
    checkShownLanguage()
  }
}

function dressPage(): void {
  document.documentElement.lang = language()
  document.documentElement.dir = direction(language())
  document.title = t('common:title')
  refresh()
  checkShownLanguage()
}

function checkShownLanguage(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name="language"]')) {
    input.checked = input.value === language()
  }
}

function switchLanguage(key: string): Promise<void> {
  return withTexts(async () => {
    if (!(await chooseLanguage(key))) return
    store(key)
    dressPage()
  })
}

function openBasket(): Promise<void> {
  return withTexts(async () => {
    await needNamespace('checkout')
    if (!sheet) {
      sheet = basket()
      document.body.append(sheet)
    }
    dressPage()
    if (!sheet.open) sheet.showModal()
  })
}

function languageSwitch(): HTMLElement {
  const choices = h('div')
  let shown = ''
  follow(() => {
    const keys = languageKeys()
    if (keys.join() === shown) return
    shown = keys.join()
    choices.replaceChildren(...keys.map(languageChoice))
  })
  return h(
    'fieldset',
    { class: 'languages' },
    h('legend', { class: 'unseen' }, () => t('common:language')),
    choices,
  )
}

function languageChoice(key: string): HTMLElement {
  const choose = () => void switchLanguage(key)
  return h(
    'label',
    { class: 'choice', lang: key, dir: direction(key) },
    h('input', { type: 'radio', name: 'language', value: key, onchange: choose }),
    h('span', { class: 'tongue' }, ownName(key)),
  )
}

function page(): Node[] {
  return [
    h('a', { class: 'skip', href: '#teas' }, () => t('common:skip')),
    h(
      'header',
      { class: 'top' },
      h(
        'p',
        { class: 'brand' },
        drawing(
          '<svg viewBox="0 0 32 32" aria-hidden="true"><path class="flame" d="M16 3c5 6 7 9 7 13a7 7 0 0 1-14 0c0-4 2-7 7-13Z"/><path class="dish" d="M5 22h22l-2 5a3 3 0 0 1-3 2H10a3 3 0 0 1-3-2Z"/></svg>',
        ),
        'Tealight',
      ),
      languageSwitch(),
      h(
        'button',
        { type: 'button', class: 'open-basket', onclick: () => void openBasket() },
        h('span', {}, () => t('common:basket.open')),
        h('span', { class: 'count', 'aria-live': 'polite' }, () => t('common:basket.items', { count: bagCount() })),
      ),
    ),
    h('p', { class: 'failure', role: 'alert' }, () => (state.failed ? t('common:loadFailed') : '')),
    h('main', {}, hero(), announcement(), shelf(), behind()),
    h(
      'footer',
      {},
      h('p', { 'data-text': 'common:footer.note' }, () => t('common:footer.note')),
      h('p', {}, () => t('common:footer.languages', { count: languageKeys().length })),
    ),
  ]
}

// A first load that fails is an uncaught error: there is no text yet to say it with.
await chooseLanguage(preferredLanguage() ?? language())
document.body.append(...page())
dressPage()
onTextsChanged(() => {
  state.textChanges++
  dressPage()
})
