#!/usr/bin/env node
/**
 * Checks the words of pages, comments and messages with textlint: spelling of product names, and the turns and terms of
 * scripts/prose-words.json. Code, names in backticks and quotations are skipped.
 *
 *   node scripts/prose.mjs [FILE...]    without files: all pages, and the comments and messages of src
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import { findWord, getAdvancedRegExp, getMultipleWordRegExp, getReplacement, getTerms } from 'textlint-rule-terminology'
import ts from 'typescript'
import { messagesIn, parse, sourceFiles } from './messages.mjs'

const ROOT = path.join(import.meta.dirname, '..')
/** `turns` and `terms`: pattern and replacement. `otherSpellings`: the terms of textlint-rule-terminology not to use. */
const words = JSON.parse(readFileSync(path.join(import.meta.dirname, 'prose-words.json'), 'utf8'))
const spellings = getTerms(true, [], words.otherSpellings)
const names = spellings.filter((term) => typeof term === 'string')
/** Compiled once: the package's rule compiles each pattern for each paragraph, which takes 5 seconds more. */
const avoided = [
  ...[...words.turns, ...words.terms].map(([pattern, better]) => ({
    // A space may be a line end.
    regex: new RegExp(`(?<![\\w-])(?:${pattern.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gim'),
    better: () => better,
  })),
  { regex: new RegExp(getMultipleWordRegExp(names), 'gim'), better: (found) => findWord(names, found) },
  ...spellings
    .filter((term) => typeof term !== 'string')
    .map(([pattern, replacement]) => ({
      regex: new RegExp(getAdvancedRegExp(pattern), 'gim'),
      better: (found) => getReplacement(pattern, replacement, found),
    })),
]
/** Pages that list the words to avoid. */
const LISTS = ['docs/terms.md']
const kernel = new TextlintKernel()
const setup = {
  ext: '.md',
  plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown }],
  rules: [{ ruleId: 'words', rule: avoidWords }],
}

const given = process.argv.slice(2)
const files = given.length > 0 ? given : [...pages(), ...sourceFiles('src')]
let findings = 0
for (const file of files) {
  const text = readFileSync(path.resolve(ROOT, file), 'utf8')
  if (file.endsWith('.md') || file.endsWith('.txt')) await check(file, text, (line) => line)
  else {
    const source = parse(file, text)
    await check(file, commentsOf(source), (line) => line)
    const messages = [...messagesIn(source)]
    await check(file, messages.map(({ message }) => message).join('\n\n'), (line) => messages[(line - 1) / 2].line)
  }
}
if (findings > 0) {
  console.error(`${findings} findings. scripts/prose-words.json and docs/terms.md have the words to use.`)
  process.exitCode = 1
}

async function check(file, text, lineOf) {
  // Most files have nothing to find, even in their code: these are not parsed.
  if (findingsIn(text).next().done) return
  const { messages } = await kernel.lintText(text, { ...setup, filePath: file })
  for (const { line, message } of messages) console.error(`${file}:${lineOf(line)} ${message}`)
  findings += messages.length
}

function pages() {
  const docs = readdirSync(path.join(ROOT, 'docs')).filter(
    (name) => name.endsWith('.md') && !LISTS.includes(`docs/${name}`),
  )
  return [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'llms.txt',
    ...docs.map((name) => `docs/${name}`),
  ]
}

/** The comments of a file, each line at its own line number and everything else empty. */
function commentsOf(source) {
  const { text } = source
  let code = ''
  const visit = (node) => {
    if (ts.isJsxText(node) || ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node)) {
      const start = ts.isJsxText(node) ? node.pos : node.getStart(source)
      code += text.slice(code.length, start) + text.slice(start, node.end).replace(/[^\n]/g, ' ')
    } else ts.forEachChild(node, visit)
  }
  visit(source)
  code += text.slice(code.length)
  const lines = text.split('\n').map(() => '')
  for (const { 0: comment, index } of code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)) {
    const first = source.getLineAndCharacterOfPosition(index).line
    for (const [offset, line] of comment.split('\n').entries())
      lines[first + offset] = line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?/, '').replace(/\*\/\s*$/, '')
  }
  return lines.join('\n')
}

/** A rule of textlint: `Str` is text outside code and addresses. */
function avoidWords({ Syntax, RuleError, report, getSource, locator }) {
  return {
    [Syntax.Str](node) {
      for (const { found, index, write } of findingsIn(getSource(node))) {
        const padding = locator.range([index, index + found.length])
        report(node, new RuleError(`"${found.replace(/\s+/g, ' ')}": write ${write}`, { padding }))
      }
    },
  }
}

function* findingsIn(text) {
  for (const { regex, better } of avoided)
    for (const { 0: found, index } of text.matchAll(regex)) {
      const write = better(found)
      const isCapital = upperFirst(write) === found && /(?:^|[.!?:)] )$/.test(text.slice(0, index))
      if (write !== found && !isCapital) yield { found, index, write }
    }
}

function upperFirst(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
