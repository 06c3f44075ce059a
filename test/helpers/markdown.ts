/** Fenced code of a Markdown page. */
export interface CodeBlock {
  readonly page: string
  /** Of the opening fence, counted from 1. */
  readonly line: number
  readonly language: string
  /** What stands behind the language: the file it is. */
  readonly name: string | undefined
  /** The headings of level 2 and 3 that the block stands below. */
  readonly section: string | undefined
  readonly subsection: string | undefined
  readonly code: string
}

export function codeBlocks(page: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const headings: (string | undefined)[] = []
  let open: (Omit<CodeBlock, 'page' | 'code'> & { fence: string; indent: number; code: string[] }) | undefined
  markdown.split('\n').forEach((text, index) => {
    const [, indent = '', fence = '', info = ''] = /^( *)(`{3,})(.*)$/.exec(text) ?? []
    if (open) {
      if (fence.startsWith(open.fence) && info.trim() === '') {
        blocks.push({ ...open, page, code: `${open.code.join('\n')}\n` })
        open = undefined
      } else open.code.push(text.replace(new RegExp(`^ {0,${open.indent}}`), ''))
    } else if (fence !== '') {
      const [language = '', name] = info.trim().split(/\s+/)
      open = {
        fence,
        indent: indent.length,
        line: index + 1,
        language,
        name,
        section: headings[2],
        subsection: headings[3],
        code: [],
      }
    } else {
      const [, signs = '', heading] = /^(#+) (.+)$/.exec(text) ?? []
      if (heading === undefined) return
      headings.length = signs.length
      headings.push(heading)
    }
  })
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`)
  return blocks
}

/** The cells of each row of the table whose head begins so. */
export function tableRows(page: string, markdown: string, head: string): string[][] {
  const lines = markdown.split('\n')
  const first = lines.findIndex((line) => line.startsWith(head))
  if (first === -1) throw new Error(`${page} has no table ${head}`)
  const rest = lines.slice(first + 2)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
