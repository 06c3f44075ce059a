/** Coverage as an SVG, for README files and dashboards: a badge, or a grid of namespaces and languages. Pure. */
import { count, grouped, percent } from '../shared/figures.ts'
import { widthOf } from './text.ts'

interface Covered {
  readonly expected: number
  readonly translated: number
}

export interface CoverageTable {
  readonly defaultLanguage: string
  readonly languages: readonly (Covered & { readonly language: string })[]
  readonly parts: readonly (Covered & { readonly language: string; readonly namespace: string })[]
}

export const SVG_KINDS = ['badge', 'grid'] as const
export type SvgKind = (typeof SVG_KINDS)[number]

export function coverageSvg(kind: SvgKind, table: CoverageTable): string {
  return kind === 'badge' ? badge(table) : grid(table)
}

const FONT = "font-family='Verdana,DejaVu Sans,Geneva,sans-serif' font-size='11'"
/** Columns of the widest letters of the font: a text is never wider than its place. */
const LETTER = 7.2
const PADDING = 8
/** White text has a contrast of at least 4.5 on each, in light and in dark pages. */
const COLOURS = { full: '#2e7d32', most: '#556b1f', some: '#8a5a00', few: '#b3261e', none: '#5f6368' } as const

function colourOf({ translated, expected }: Covered): string {
  if (expected === 0) return COLOURS.none
  const share = translated / expected
  return COLOURS[share === 1 ? 'full' : share >= 0.8 ? 'most' : share >= 0.5 ? 'some' : 'few']
}

function shareOf({ translated, expected }: Covered): string {
  return expected === 0 ? '–' : percent(translated / expected)
}

/** All translations together: the default language's texts are no translations. */
function badge({ languages, defaultLanguage }: CoverageTable): string {
  const others = languages.filter(({ language }) => language !== defaultLanguage)
  const shown = others.length > 0 ? others : languages
  const total = {
    expected: shown.reduce((sum, { expected }) => sum + expected, 0),
    translated: shown.reduce((sum, { translated }) => sum + translated, 0),
  }
  const [label, value] = ['translated', shareOf(total)]
  const [left, right] = [widthFor(label), widthFor(value)]
  const title = `translated: ${value} in ${count(shown.length, 'language')}`
  const text = (at: number, content: string) =>
    `<text x='${at}' y='14' fill='#fff' text-anchor='middle'>${escapeXml(content)}</text>`
  return document(left + right, 20, title, `${grouped(total.translated)} of ${grouped(total.expected)} texts`, [
    `<rect width='${left}' height='20' fill='#444'/>`,
    `<rect x='${left}' width='${right}' height='20' fill='${colourOf(total)}'/>`,
    `<g ${FONT}>`,
    text(left / 2, label),
    text(left + right / 2, value),
    '</g>',
  ])
}

const ROW = 24
const MOST_COLUMNS = 28

/** A row for each namespace below one for all of them, and a column for each language. */
function grid({ languages, parts, defaultLanguage }: CoverageTable): string {
  const namespaces = [...new Set(parts.map(({ namespace }) => namespace))]
  const cells = new Map(parts.map((part) => [JSON.stringify([part.language, part.namespace]), part]))
  const names = languages.map(({ language }) => (language === defaultLanguage ? `${language} *` : language))
  const first = Math.max(...['all namespaces', ...namespaces].map((name) => widthFor(cut(name))))
  const column = Math.max(48, ...names.map((name) => widthFor(cut(name))))
  const rows = [undefined, ...namespaces]
  const [width, height] = [first + languages.length * column, (rows.length + 1) * ROW + 4]
  const lines = names.map(
    (name, at) =>
      `<text class='name' x='${first + (at + 0.5) * column}' y='16' text-anchor='middle'>${cutText(name)}</text>`,
  )
  for (const [at, namespace] of rows.entries()) {
    const y = (at + 1) * ROW
    const name = namespace ?? 'all namespaces'
    lines.push(`<text class='name' x='${PADDING}' y='${y + 16}'>${cutText(name)}</text>`)
    for (const [index, all] of languages.entries()) {
      const cell = namespace === undefined ? all : cells.get(JSON.stringify([all.language, namespace]))
      if (cell) lines.push(cellAt(first + index * column, y, column, cell, `${all.language}, ${name}`))
    }
  }
  const coverage = languages.map((each) => `${each.language} ${shareOf(each)}`).join(', ')
  const size = `${count(languages.length, 'language')} and ${count(namespaces.length, 'namespace')}`
  return document(width, height, `Coverage of ${size}`, `${coverage}. * is the default language.`, [
    // Its own background: a page may be dark where its reader prefers light.
    '<style>.page{fill:#fff}.name{fill:#1f2328}' +
      '@media (prefers-color-scheme:dark){.page{fill:#0d1117}.name{fill:#e6edf3}}</style>',
    "<rect class='page' width='100%' height='100%' rx='4'/>",
    `<g ${FONT}>`,
    ...lines,
    '</g>',
  ])
}

function cellAt(x: number, y: number, width: number, cell: Covered, name: string): string {
  const title = `${name}: ${grouped(cell.translated)} of ${grouped(cell.expected)} texts`
  return (
    `<g><title>${escapeXml(title)}</title>` +
    `<rect x='${x + 1}' y='${y + 1}' width='${width - 2}' height='${ROW - 2}' rx='3' fill='${colourOf(cell)}'/>` +
    `<text x='${x + width / 2}' y='${y + 16}' fill='#fff' text-anchor='middle'>${shareOf(cell)}</text></g>`
  )
}

function document(width: number, height: number, title: string, description: string, lines: readonly string[]): string {
  return [
    `<svg xmlns='http://www.w3.org/2000/svg' width='${width}' height='${height}' viewBox='0 0 ${width} ${height}' role='img'>`,
    `<title>${escapeXml(title)}</title>`,
    `<desc>${escapeXml(description)}</desc>`,
    ...lines,
    '</svg>',
  ].join('\n')
}

function widthFor(text: string): number {
  return Math.ceil(widthOf(text) * LETTER) + 2 * PADDING
}

/** A long name is cut in its middle: names differ at their ends. */
function cut(name: string): string {
  const letters = Array.from(new Intl.Segmenter('und').segment(name), ({ segment }) => segment)
  const half = Math.floor(MOST_COLUMNS / 2)
  return letters.length <= MOST_COLUMNS ? name : `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`
}

function cutText(name: string): string {
  const title = cut(name) === name ? '' : `<title>${escapeXml(name)}</title>`
  return title + escapeXml(cut(name))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&apos;',
  '"': '&quot;',
}
/** XML has no way to write these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get into a document
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

function escapeXml(text: string): string {
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? '')
}
