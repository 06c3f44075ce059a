/** The head of the page and the shelf. */
import { drawing, h } from './dom.ts'
import { day, money, unit, year } from './format.ts'
import { bagsOf, changeBags, state, stockOf, update } from './state.ts'
import { type Tea, teas } from './teas.ts'
import { t } from './texts.ts'

export function hero(): HTMLElement {
  return h(
    'section',
    { class: 'hero' },
    h('p', { class: 'eyebrow' }, () => t('shop:hero.eyebrow', { year: year(new Date(2026, 5, 1)) })),
    h('h1', { 'data-text': 'shop:hero.title' }, () => t('shop:hero.title')),
    h('p', { class: 'lead', 'data-text': 'shop:hero.lead' }, () => t('shop:hero.lead')),
    h(
      'div',
      { class: 'welcome' },
      h('p', { class: 'greeting', 'aria-live': 'polite' }, () =>
        state.name === '' ? t('common:welcome.guest') : t('common:welcome.named', { name: state.name }),
      ),
      h(
        'label',
        { class: 'field' },
        h('span', { class: 'label' }, () => t('common:name.label')),
        h('input', {
          name: 'name',
          autocomplete: 'given-name',
          maxlength: 40,
          dir: () => state.name !== '' && 'auto',
          placeholder: () => t('common:name.placeholder'),
          oninput: (event: Event) => update({ name: (event.currentTarget as HTMLInputElement).value.trim() }),
        }),
      ),
    ),
  )
}

/** A text that not every language has: where it is missing, the default language's shows. */
export function announcement(): HTMLElement {
  return h('p', { class: 'announcement', 'data-text': 'shop:announcement', dir: 'auto' }, () => t('shop:announcement'))
}

export function shelf(): HTMLElement {
  return h(
    'section',
    { class: 'shelf', id: 'teas', tabindex: -1, 'aria-labelledby': 'teas-title' },
    h(
      'header',
      {},
      h('h2', { id: 'teas-title', 'data-text': 'shop:list.title' }, () => t('shop:list.title')),
      h('p', { class: 'amount' }, () => t('shop:list.count', { count: teas.length })),
    ),
    h('ul', { class: 'teas' }, ...teas.map(card)),
  )
}

function card(tea: Tea, index: number): HTMLElement {
  return h(
    'li',
    { class: 'tea', 'data-tea': tea.id },
    h('div', { class: 'picture' }, cup(tea, index)),
    h('p', { class: 'kind' }, () => t(`shop:kind.${tea.kind}`)),
    h('h3', { 'data-text': `shop:teas.${tea.id}.name` }, () => t(`shop:teas.${tea.id}.name`)),
    h('p', { class: 'note', 'data-text': `shop:teas.${tea.id}.note` }, () => t(`shop:teas.${tea.id}.note`)),
    h(
      'ul',
      { class: 'facts' },
      h('li', {}, () => t('shop:picked', { date: day(tea.picked) })),
      h('li', {}, () =>
        t('shop:brew', { temperature: unit(tea.celsius, 'celsius'), minutes: unit(tea.minutes, 'minute') }),
      ),
      h('li', { class: () => (stockOf(tea) < 3 ? 'stock scarce' : 'stock') }, () =>
        t('shop:stock', { count: stockOf(tea) }),
      ),
    ),
    h(
      'div',
      { class: 'buy' },
      h(
        'div',
        {},
        h('p', { class: 'price' }, () => t('shop:price', { price: money(tea.cents), weight: unit(tea.grams, 'gram') })),
        h('p', { class: 'chosen', 'aria-live': 'polite' }, () =>
          bagsOf(tea) === 0 ? '' : t('shop:inBasket', { count: bagsOf(tea) }),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'add',
          'aria-disabled': () => stockOf(tea) === 0 && 'true',
          'aria-label': () => t('shop:addLong', { tea: t(`shop:teas.${tea.id}.name`) }),
          onclick: () => changeBags(tea, 1),
        },
        () => t('shop:add'),
      ),
    ),
  )
}

/** The cup from above, filled with the tea's own colour. */
function cup({ id, liquor }: Tea, index: number): Element {
  return drawing(`<svg viewBox="0 0 240 164" aria-hidden="true">
    <defs>
      <radialGradient id="liquor-${id}" cx="42%" cy="36%"><stop stop-color="${liquor[0]}"/><stop offset="1" stop-color="${liquor[1]}"/></radialGradient>
    </defs>
    <circle class="shadow" cx="124" cy="90" r="66"/>
    <circle class="saucer" cx="120" cy="80" r="66"/>
    <circle class="groove" cx="120" cy="80" r="54"/>
    <circle class="shadow" cx="123" cy="86" r="46"/>
    <g transform="rotate(${index * 47 - 30} 120 80)">
      <rect class="handle" x="156" y="73" width="30" height="14" rx="7"/>
      <circle class="porcelain" cx="120" cy="80" r="46"/>
      <circle cx="120" cy="80" r="39" fill="url(#liquor-${id})"/>
      <path class="leaf" d="M104 92c4-14 18-20 30-16-4 13-17 19-30 16Z"/>
      <path class="vein" d="M104 92c9-4 18-9 27-15"/>
    </g>
    <path class="glint" d="M90 66a36 36 0 0 1 20-15"/>
  </svg>`)
}
