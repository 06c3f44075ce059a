/** Values that are not texts, in two languages, and the second as the app shows it. */

export const EN = {
  title: 'Title',
  steps: ['One', 'Two', '</script> & "three"'],
  list: [
    { title: 'A', points: ['a', 'b'], size: 1.5, next: null, meta: {} },
    { title: 'B', points: [], isNew: true },
  ],
  matrix: [['x', 'y'], ['z']],
  mixed: ['text', 2, false, null, { deep: { er: 'd' } }],
  none: [],
  limits: { max: 1e21, min: -3, isOpen: false, nothing: null, label: 'Limit' },
  __proto__x: [0],
}
/** An element that is missing, a shorter array, and no array at all. */
const PL = {
  title: 'Tytuł',
  steps: ['Jeden', ''],
  list: [{ title: '', size: 2 }],
  mixed: 'inny rodzaj',
  limits: { max: 7 },
}
export const PL_SHOWN = {
  ...EN,
  title: 'Tytuł',
  steps: ['Jeden', 'Two'],
  list: [{ title: 'A', points: ['a', 'b'], size: 2, next: null, meta: {} }],
  mixed: 'inny rodzaj',
  limits: { ...EN.limits, max: 7 },
}
export const FILES = { 'locales/en/common.json': EN, 'locales/pl/common.json': PL }
