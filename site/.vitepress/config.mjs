import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { slugify } from '../markdown.mjs'

const sidebar = JSON.parse(readFileSync(new URL('../.pages/sidebar.json', import.meta.url), 'utf8'))

export default defineConfig({
  title: 'unplugin-localization',
  description: 'Translations from a localization service to the page, and edits back to the service.',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '.pages',
  outDir: 'dist',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // Names of files, such as options.md, are no addresses.
    linkify: false,
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      const { fence, text, code_inline: code } = md.renderer.rules
      // The file that a block is stands behind its language.
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const [, name] = tokens[index].info.trim().split(/\s+/)
        const block = fence(tokens, index, ...rest)
        return name === undefined ? block : `<p class="file-name">${md.utils.escapeHtml(name)}</p>${block}`
      }
      // Vue must not read {{ }} in prose and in code.
      const withoutBraces = (html) => html.replaceAll('{{', '&#123;&#123;')
      md.renderer.rules.text = (...args) => withoutBraces(text(...args))
      md.renderer.rules.code_inline = (...args) => withoutBraces(code(...args))
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documentation', link: '/contents' },
      {
        text: 'Reference',
        items: [
          { text: 'Options', link: '/options/' },
          { text: 'Commands', link: '/commands/' },
          { text: 'Error codes', link: '/errors/' },
          { text: 'API', link: '/api/' },
        ],
      },
    ],
    sidebar,
  },
})
