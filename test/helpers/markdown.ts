/** Fenced code of a Markdown page. */
export interface CodeBlock {
  readonly page: string
  /** Of the opening fence, counted from 1. */
  readonly line: number
  readonly language: string
  /** What stands behind the language: the file it is. */
  readonly name: string | undefined
  /** The heading of level 3 that the block stands below, within its section. */
  readonly subsection: string | undefined
  readonly code: string
}

export function codeBlocks(page: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let subsection: string | undefined
  let open: (Omit<CodeBlock, 'page' | 'code'> & { fence: string; code: string[] }) | undefined
  markdown.split('\n').forEach((text, index) => {
    const [, fence = '', info = ''] = /^\s*(`{3,})(.*)$/.exec(text) ?? []
    if (open) {
      if (fence.startsWith(open.fence) && info.trim() === '') {
        blocks.push({ ...open, page, code: `${open.code.join('\n')}\n` })
        open = undefined
      } else open.code.push(text)
    } else if (fence !== '') {
      const [language = '', name] = info.trim().split(/\s+/)
      open = { fence, line: index + 1, language, name, subsection, code: [] }
    } else if (/^##? /.test(text)) subsection = undefined
    else if (text.startsWith('### ')) subsection = text.slice(4)
  })
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`)
  return blocks
}
