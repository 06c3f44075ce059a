/** The basket: a sheet at the end of the line. Made when it is first opened, after its namespace was fetched. */
import { drawing, follow, h } from './dom.ts'
import { money, number, percent, weekday } from './format.ts'
import {
  bagCount,
  bagsOf,
  changeBags,
  deliveryDay,
  missingForFreeShipping,
  placeOrder,
  shipping,
  state,
  stockOf,
  subtotal,
  update,
} from './state.ts'
import { type Tea, teas } from './teas.ts'
import { t } from './texts.ts'

export function basket(): HTMLDialogElement {
  const close = () => dialog.close()
  const dialog: HTMLDialogElement = h(
    'dialog',
    {
      class: 'basket',
      'aria-labelledby': 'basket-title',
      onclick: (event: Event) => event.target === dialog && close(),
    },
    h(
      'div',
      { class: 'sheet' },
      h(
        'header',
        {},
        h('h2', { id: 'basket-title', 'data-text': 'checkout:title' }, () => t('checkout:title')),
        h(
          'button',
          { type: 'button', class: 'round', 'aria-label': () => t('checkout:close'), onclick: close },
          drawing('<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m6 6 12 12M18 6 6 18"/></svg>'),
        ),
      ),
      thanks(close),
      nothing(),
      order(),
    ),
  )
  return dialog
}

const visible = (element: HTMLElement, when: () => boolean): HTMLElement => {
  follow(() => {
    element.hidden = !when()
  })
  return element
}

function thanks(close: () => void): HTMLElement {
  const part = h(
    'div',
    { class: 'message', role: 'status' },
    h('h3', {}, () =>
      state.name === '' ? t('checkout:thanks.title') : t('checkout:thanks.titleNamed', { name: state.name }),
    ),
    h('p', { class: 'quiet' }, () =>
      t('checkout:thanks.text', { count: state.ordered ?? 0, date: weekday(deliveryDay()) }),
    ),
    h('button', { type: 'button', class: 'primary', onclick: close }, () => t('checkout:thanks.again')),
  )
  return visible(part, () => state.ordered !== undefined)
}

function nothing(): HTMLElement {
  const part = h(
    'div',
    { class: 'message' },
    h('h3', { 'data-text': 'checkout:empty.title' }, () => t('checkout:empty.title')),
    h('p', { class: 'quiet', 'data-text': 'checkout:empty.text' }, () => t('checkout:empty.text')),
  )
  return visible(part, () => bagCount() === 0 && state.ordered === undefined)
}

function order(): HTMLElement {
  const form = h(
    'form',
    {
      onsubmit: (event: Event) => {
        event.preventDefault()
        placeOrder()
      },
    },
    h('ul', { class: 'lines' }, ...teas.map(line)),
    h(
      'dl',
      { class: 'sums' },
      ...sum(
        () => t('checkout:subtotal'),
        () => money(subtotal()),
      ),
      ...sum(
        () => t('checkout:shipping.label'),
        () => (shipping() === 0 ? t('checkout:shipping.free') : money(shipping())),
      ),
      ...sum(
        () => t('checkout:total'),
        () => money(subtotal() + shipping()),
        'total',
      ),
    ),
    h('p', { class: 'small' }, () => t('checkout:vat', { rate: percent(0.07) })),
    visible(
      h('p', { class: 'hint' }, () => t('checkout:shipping.missing', { amount: money(missingForFreeShipping()) })),
      () => missingForFreeShipping() > 0,
    ),
    h(
      'label',
      { class: 'field' },
      h('span', { class: 'label' }, () => t('checkout:note.label')),
      h('textarea', {
        name: 'note',
        rows: 2,
        dir: () => state.note !== '' && 'auto',
        placeholder: () => t('checkout:note.placeholder'),
        oninput: (event: Event) => update({ note: (event.currentTarget as HTMLTextAreaElement).value }),
      }),
    ),
    h(
      'label',
      { class: 'check' },
      h('input', {
        type: 'checkbox',
        name: 'gift',
        onchange: (event: Event) => update({ gift: (event.currentTarget as HTMLInputElement).checked }),
      }),
      h('span', {}, () => t('checkout:gift')),
    ),
    h('p', { class: 'small' }, () => t('checkout:arrives', { date: weekday(deliveryDay()) })),
    h('button', { class: 'primary' }, () => t('checkout:place')),
  )
  return visible(form, () => bagCount() > 0)
}

function sum(label: () => string, amount: () => string, name = ''): HTMLElement[] {
  return [h('dt', { class: name }, label), h('dd', { class: name }, amount)]
}

function line(tea: Tea): HTMLElement {
  const name = () => t(`shop:teas.${tea.id}.name`)
  const part = h(
    'li',
    { 'data-line': tea.id },
    h('span', { class: 'swatch', style: `background: linear-gradient(135deg, ${tea.liquor.join(', ')})` }),
    h(
      'div',
      {},
      h('p', { class: 'name' }, name),
      h('p', { class: 'small' }, () => t('checkout:line.each', { price: money(tea.cents) })),
    ),
    h(
      'div',
      { class: 'stepper' },
      h(
        'button',
        {
          type: 'button',
          'aria-label': () => t('checkout:line.fewer', { tea: name() }),
          onclick: () => changeBags(tea, -1),
        },
        '−',
      ),
      h('output', {}, () => number(bagsOf(tea))),
      h(
        'button',
        {
          type: 'button',
          'aria-disabled': () => stockOf(tea) === 0 && 'true',
          'aria-label': () => t('checkout:line.more', { tea: name() }),
          onclick: () => changeBags(tea, 1),
        },
        '+',
      ),
    ),
  )
  return visible(part, () => bagsOf(tea) > 0)
}
