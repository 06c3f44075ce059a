/** Changes of Markdown text that leave its code alone. */

const FENCED = /^( *)(`{3,})[\s\S]*?^\1\2 *$/gm

/** Changes what stands outside of fenced code. */
function mapProse(text, change) {
  let result = ''
  let at = 0
  for (const match of text.matchAll(FENCED)) {
    result += change(text.slice(at, match.index)) + match[0]
    at = match.index + match[0].length
  }
  return result + change(text.slice(at))
}

export const mapLinks = (text, rewrite) =>
  mapProse(text, (prose) =>
    prose
      .replace(/\]\(([^)\s]+)\)/g, (_all, target) => `](${rewrite(target)})`)
      .replace(/\b(src|srcset|href)="([^"]+)"/g, (_all, name, target) => `${name}="${rewrite(target)}"`),
  )

/** The words of links, without the links. */
export const withoutLinks = (text) => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')

export const linksOf = (text) => [...text.matchAll(/^- +\[([^\]]+)\]\(([^)\s]+)\)/gm)].map(([, ...both]) => both)

export const cutAtColon = (text) => text.replace(/:.*$/, '').replaceAll('`', '')

/** The names that headings have where docs/ is read, so that links with an anchor work in both places. */
export const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')

/** Sections whose heading is one name in code: the name, and the text below it. */
export const namedSections = (text, pattern) =>
  text
    .split(/^(?=#{1,6} )/m)
    .map((section) => [pattern.exec(section)?.[1], section.slice(section.indexOf('\n') + 1).trim()])
    .filter(([name]) => name !== undefined)

/** A name in HTML that may break after its dots and slashes. */
export const breakable = (name) => name.replace(/[./]/g, '$&<wbr>')
