/** What the visitor did. It outlives every change of language and every text that is updated in place. */
import { refresh } from './dom.ts'
import { type Tea, teas } from './teas.ts'

const FREE_SHIPPING_CENTS = 4000
const SHIPPING_CENTS = 490

const bags = new Map<string, number>()
export const state = {
  name: '',
  note: '',
  gift: false,
  ordered: undefined as number | undefined,
  textChanges: 0,
  failed: false,
}
export const openedAt = new Date()

export const bagsOf = (tea: Tea): number => bags.get(tea.id) ?? 0
export const bagCount = (): number => teas.reduce((sum, tea) => sum + bagsOf(tea), 0)
export const stockOf = (tea: Tea): number => tea.stock - bagsOf(tea)
export const subtotal = (): number => teas.reduce((sum, tea) => sum + bagsOf(tea) * tea.cents, 0)
export const missingForFreeShipping = (): number => Math.max(0, FREE_SHIPPING_CENTS - subtotal())
export const shipping = (): number => (missingForFreeShipping() === 0 ? 0 : SHIPPING_CENTS)

export function changeBags(tea: Tea, by: 1 | -1): void {
  bags.set(tea.id, Math.min(tea.stock, Math.max(0, bagsOf(tea) + by)))
  state.ordered = undefined
  refresh()
}

export function placeOrder(): void {
  state.ordered = bagCount()
  bags.clear()
  refresh()
}

export function update(change: Partial<typeof state>): void {
  Object.assign(state, change)
  refresh()
}

/** Three days from now. */
export function deliveryDay(): Date {
  const date = new Date()
  date.setDate(date.getDate() + 3)
  return date
}
