/**
 * docs/start.md, followed to the letter with each of the templates that it names; only the package comes from its
 * tarball.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium, visit, type WatchedPage } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { expectShown, followBlock, runCommand, shownCommands, startCommand } from '../helpers/follow-page.ts'
import { type CodeBlock, codeBlocks } from '../helpers/markdown.ts'
import type { RunningProcess } from '../helpers/processes.ts'
import { packTarball } from '../helpers/tarball.ts'
import { tempFolder } from '../helpers/temp.ts'

const TEMPLATES = ['vanilla-ts', 'react-ts', 'vue-ts', 'svelte-ts']
/** What a template's own scripts check beside its build. */
const OWN_CHECKS: Readonly<Record<string, readonly string[]>> = {
  'react-ts': ['npm run lint'],
  'svelte-ts': ['npm run check'],
}
const PACKAGE_INSTALL = 'npm install --save-dev unplugin-localization'
const WAIT = { timeout: 90_000 }

const markdown = await readFile(join(repository, 'docs/start.md'), 'utf8')
const blocks = codeBlocks('docs/start.md', markdown)
let tarball: string
beforeAll(async () => {
  tarball = await packTarball()
})

covers({
  tool: 'create-vite',
  setting: '`vanilla-ts`, `react-ts`, `vue-ts`, `svelte-ts`, following docs/start.md',
  bundlers: ['vite'],
})

test('the page has steps for each template, and for no other', () => {
  const subsections = blocks.flatMap(({ subsection }) => subsection ?? [])
  expect([...new Set(subsections)]).toEqual(TEMPLATES)
})

describe.skipIf(noChromium)('docs/start.md', () => {
  test.each(TEMPLATES)('%s', async (template) => {
    const reader = new Reader(template, await tempFolder())
    for (const block of blocks)
      if (block.subsection === undefined || block.subsection === template) await reader.follow(block)
    expect([...reader.looks]).toEqual(['dev', 'edit', 'preview'])
  })
})

class Reader {
  readonly looks = new Set<string>()
  readonly #template: string
  #folder: string
  #dev: RunningProcess | undefined
  #open: WatchedPage | undefined

  constructor(template: string, folder: string) {
    this.#template = template
    this.#folder = folder
  }

  async follow(block: CodeBlock): Promise<void> {
    if (block.language === 'sh') for (const line of block.code.trimEnd().split('\n')) await this.#type(line, block)
    else if (block.language === 'console') {
      for (const { command, shown } of shownCommands(block)) await this.#type(command, block, shown)
    } else {
      await followBlock(this.#folder, block)
      if (this.#open && block.name === 'locales/pl/common.json') await this.#lookAtEdit(this.#open.page)
    }
  }

  async #type(line: string, { page, line: number }: CodeBlock, shown: readonly string[] = []): Promise<void> {
    const place = `${page}:${number}`
    const options = { cwd: this.#folder }
    if (line.startsWith('cd ')) {
      this.#folder = join(this.#folder, line.slice(3))
    } else if (line === 'npm run dev') {
      this.#dev = startCommand(line, options)
      const address = await addressOf(this.#dev)
      this.#open = await this.#look('dev', address)
      expectShown(this.#dev.output(), shown, place)
    } else if (line === 'npm run preview') {
      const preview = startCommand(line, options)
      const { close } = await this.#look('preview', await addressOf(preview))
      await close()
      await interrupt(preview)
    } else {
      if (line === 'npm run build') await this.#stopDev()
      const command = line
        .replace(/(?<=--template )vanilla-ts/, this.#template)
        .replace(PACKAGE_INSTALL, `npm install --save-dev ${tarball}`)
      expectShown(await runCommand(command, options), shown, place)
      if (line === 'npm run build')
        for (const check of OWN_CHECKS[this.#template] ?? []) await runCommand(check, options)
    }
  }

  /** "Stop the dev server", as the page says before the build. */
  async #stopDev(): Promise<void> {
    says('Stop the dev server with Ctrl+C.')
    expect(this.#open?.problems).toEqual([])
    await this.#open?.close()
    this.#open = undefined
    if (this.#dev) await interrupt(this.#dev)
  }

  /** Both languages; then the counter, whose number shows later whether the page was reloaded. */
  async #look(name: 'dev' | 'preview', address: string): Promise<WatchedPage> {
    const watched = await visit(address)
    const { page, problems } = watched
    if (name === 'dev') {
      says('it says "Welcome" and "Hello, Ada!". Press "Polish": it says "Witamy" and "Cześć, Ada!".')
      await watched.live()
    } else says('The built page shows the same texts in both languages.')
    await shows(page, 'Welcome', 'Hello, Ada!')
    await page.getByRole('button', { name: 'Polish' }).click()
    await shows(page, name === 'dev' ? 'Witamy' : 'Dzień dobry', 'Cześć, Ada!')
    await page.locator('.counter').click()
    await expect.poll(() => page.textContent('.counter'), WAIT).toContain('1')
    expect(problems).toEqual([])
    this.looks.add(name)
    return watched
  }

  async #lookAtEdit(page: Page): Promise<void> {
    says('The open page says "Dzień dobry". It does not reload, so the counter keeps its number.')
    await shows(page, 'Dzień dobry', 'Cześć, Ada!')
    expect(await page.textContent('.counter')).toContain('1')
    this.looks.add('edit')
  }
}

/** What is looked at is what the page promises. */
function says(sentence: string): void {
  expect(markdown.replaceAll('\n', ' ')).toContain(sentence)
}

async function shows(page: Page, title: string, greeting: string): Promise<void> {
  await expect.poll(() => page.locator('h1').allTextContents(), WAIT).toEqual([title])
  expect(await page.locator('h1 + p').allTextContents()).toEqual([greeting])
}

/** Ctrl+C: everything that the command started ends. */
async function interrupt({ signal, ended }: RunningProcess): Promise<void> {
  signal('SIGINT')
  await ended
}

async function addressOf(server: RunningProcess): Promise<string> {
  const local = /Local: +(http:\/\/localhost:\d+\/)/
  await expect.poll(server.output, WAIT).toMatch(local)
  return local.exec(server.output())?.[1] ?? ''
}
