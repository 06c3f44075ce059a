/** A page for each option and each error code. */
import { namedSections, withoutLinks } from './markdown.mjs'

const firstSentence = (text) =>
  /^[\s\S]*?[.:](?=\s|$)/.exec(withoutLinks(text))?.[0].replace(/\s+/g, ' ').replace(/:$/, '.') ?? ''

export function optionPages(markdown) {
  const sections = namedSections(markdown, /^#{2,3} `([^`]+)`/)
  const names = sections.map(([name]) => name)
  return sections.map(([name, body]) => {
    const inner = names.filter((other) => other.startsWith(`${name}.`))
    const outer = names.find((other) => name.startsWith(`${other}.`))
    const text = [
      `# \`${name}\``,
      outer === undefined ? 'An option.' : `A part of the option [\`${outer}\`](options.md#${outer.toLowerCase()}).`,
      body,
      ...(inner.length === 0
        ? []
        : ['## Parts', inner.map((part) => `- [\`${part}\`](options.md#${slugOf(part)})`).join('\n')]),
      '',
    ].join('\n\n')
    const type = /^Type: ([\s\S]*?)(?:\n\n|$)/.exec(body)?.[1].replace(/\s+/g, ' ') ?? ''
    const about = firstSentence(body.replace(/^Type: [\s\S]*?(?:\n\n|$)/, ''))
    return { title: name, path: `options/${name}`, from: 'docs/options.md', text, type, about }
  })
}

const slugOf = (name) => name.toLowerCase().replaceAll('.', '')

export const errorPages = (markdown) =>
  namedSections(markdown, /^### `([A-Z]+(?:_[A-Z]+)*)`/).map(([name, body]) => ({
    title: name,
    path: `errors/${name}`,
    from: 'docs/troubleshooting.md',
    text: `# \`${name}\`\n\nAn error code. [Troubleshooting](troubleshooting.md) has all of them.\n\n${body.replace(/\n## .*$/s, '')}\n`,
    about: `: ${firstSentence(body)}`,
  }))
