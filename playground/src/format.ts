/** Numbers, money, dates and directions in the shown language. */
import { language } from './texts.ts'

const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

export const direction = (key: string): 'rtl' | 'ltr' =>
  RIGHT_TO_LEFT.has(new Intl.Locale(key).language) ? 'rtl' : 'ltr'

/** A language's name in that language. */
export const ownName = (key: string): string => new Intl.DisplayNames([key], { type: 'language' }).of(key) ?? key

export const number = (value: number): string => new Intl.NumberFormat(language()).format(value)

/** Cents to money. */
export const money = (cents: number): string =>
  new Intl.NumberFormat(language(), { style: 'currency', currency: 'EUR' }).format(cents / 100)

export const percent = (share: number): string => new Intl.NumberFormat(language(), { style: 'percent' }).format(share)

export const unit = (value: number, name: 'gram' | 'celsius' | 'minute'): string =>
  new Intl.NumberFormat(language(), { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)

export const year = (date: Date): string =>
  new Intl.DateTimeFormat(language(), { year: 'numeric', numberingSystem: 'latn' }).format(date)

export const day = (date: Date): string =>
  new Intl.DateTimeFormat(language(), { day: 'numeric', month: 'long' }).format(date)

export const weekday = (date: Date): string =>
  new Intl.DateTimeFormat(language(), { weekday: 'long', day: 'numeric', month: 'long' }).format(date)

export const clock = (date: Date): string =>
  new Intl.DateTimeFormat(language(), { hour: 'numeric', minute: '2-digit' }).format(date)
