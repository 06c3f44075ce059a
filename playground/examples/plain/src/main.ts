import { languages } from 'virtual:translations'
import { language, onChange, t, use } from './texts.ts'

const state = { name: '', count: 1, open: false }

function element<T extends HTMLElement>(selector: string): T {
  return document.querySelector(selector) as T
}

function render(): void {
  const main = element('main')
  const tea = t('common', 'tea')
  main.lang = language()
  main.dir = language() === 'ar' ? 'rtl' : 'ltr'
  element('nav').ariaLabel = t('common', 'language')
  for (const button of document.querySelectorAll('nav button'))
    button.ariaPressed = String(button.getAttribute('lang') === language())
  element('h1').textContent = t('common', 'title')
  element('.label').textContent = t('common', 'name.label')
  element<HTMLInputElement>('input').placeholder = t('common', 'name.placeholder')
  element('.greeting').textContent = state.name
    ? t('common', 'greeting.named', { name: state.name })
    : t('common', 'greeting.guest')
  element('.bags').textContent = t('common', 'bags', { count: state.count })
  element('.fewer').ariaLabel = t('common', 'fewer', { tea })
  element('.more').ariaLabel = t('common', 'more', { tea })
  element('.tea').textContent = tea
  element('.tea').ariaExpanded = String(state.open)
  element('.note').hidden = !state.open
  element('.note').textContent = state.open ? t('details', 'note') : ''
}

/** Labelled with the language's name in that language. */
function languageButton({ key }: { key: string }): HTMLButtonElement {
  const button = document.createElement('button')
  Object.assign(button, {
    type: 'button',
    lang: key,
    textContent: new Intl.DisplayNames([key], { type: 'language' }).of(key),
  })
  button.onclick = () => use(key).then(render)
  return button
}

await use(document.documentElement.lang)
element('#app').innerHTML = `<main>
  <nav></nav>
  <h1></h1>
  <label><span class="label"></span><input /></label>
  <p class="greeting"></p>
  <div class="basket">
    <span class="bags"></span>
    <div><button type="button" class="fewer">−</button><button type="button" class="more">+</button></div>
  </div>
  <button type="button" class="tea"></button>
  <p class="note"></p>
</main>`
element('nav').append(...languages.map(languageButton))
element<HTMLInputElement>('input').oninput = ({ target }) => {
  state.name = (target as HTMLInputElement).value
  render()
}
const add = (bags: number) => () => {
  state.count = Math.max(0, state.count + bags)
  render()
}
element('.fewer').onclick = add(-1)
element('.more').onclick = add(1)
element('.tea').onclick = () =>
  use(language(), 'details').then(() => {
    state.open = !state.open
    render()
  })
onChange(render)
render()
