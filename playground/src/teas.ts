/** The goods. Names and descriptions are texts: `shop:teas.<id>.name` and `.note`. */

export interface Tea {
  readonly id: string
  readonly kind: 'green' | 'black' | 'oolong' | 'herbal'
  readonly cents: number
  readonly grams: number
  readonly celsius: number
  readonly minutes: number
  readonly stock: number
  readonly picked: Date
  /** Colours of the cup: light and deep. */
  readonly liquor: readonly [string, string]
}

export const teas: readonly Tea[] = [
  {
    id: 'sencha',
    kind: 'green',
    cents: 890,
    grams: 80,
    celsius: 70,
    minutes: 2,
    stock: 12,
    picked: new Date(2026, 4, 2),
    liquor: ['#d6df8b', '#9fb253'],
  },
  {
    id: 'darjeeling',
    kind: 'black',
    cents: 1250,
    grams: 75,
    celsius: 90,
    minutes: 3,
    stock: 5,
    picked: new Date(2026, 2, 21),
    liquor: ['#efc777', '#d08e2f'],
  },
  {
    id: 'oolong',
    kind: 'oolong',
    cents: 1480,
    grams: 60,
    celsius: 95,
    minutes: 4,
    stock: 2,
    picked: new Date(2026, 3, 30),
    liquor: ['#d99a52', '#96551f'],
  },
  {
    id: 'mint',
    kind: 'herbal',
    cents: 540,
    grams: 40,
    celsius: 100,
    minutes: 7,
    stock: 24,
    picked: new Date(2026, 6, 11),
    liquor: ['#c9dda6', '#8fb77a'],
  },
  {
    id: 'rooibos',
    kind: 'herbal',
    cents: 620,
    grams: 100,
    celsius: 100,
    minutes: 6,
    stock: 9,
    picked: new Date(2026, 1, 8),
    liquor: ['#d9724a', '#94341d'],
  },
  {
    id: 'earlgrey',
    kind: 'black',
    cents: 790,
    grams: 100,
    celsius: 98,
    minutes: 4,
    stock: 1,
    picked: new Date(2026, 5, 17),
    liquor: ['#b9652b', '#5f2a12'],
  },
]
