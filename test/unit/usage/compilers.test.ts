// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** What real compilers make of sources says the same as the sources. */
import { transform } from 'esbuild'
import { transform as oxcTransform } from 'rolldown/utils'
import { compile } from 'svelte/compiler'
import { describe, expect, test } from 'vitest'
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc'
import { createCompile } from '../../../src/usage/sources/compile.ts'
import { repository } from '../../helpers/bundlers.ts'
import { usesIn } from '../../helpers/usage.ts'

const TSX = `
import { FormattedMessage, defineMessages, useIntl } from 'react-intl'
import { Trans, Translation, useTranslation } from 'react-i18next'
enum Tab { One = 'tab.one', Two = 'tab.two' }
const LABELS = { open: 'label.open', shut: 'label.shut' } as const satisfies Record<string, string>
const messages = defineMessages({ hello: { id: 'intl.hello', defaultMessage: 'Hello' } })
export function App({ status, tab, kind }: { status: string; tab: Tab; kind: keyof typeof LABELS }) {
  const { t } = useTranslation('shop')
  const { t: tp } = useTranslation('shop', { keyPrefix: 'cart' })
  const intl = useIntl()
  return (
    <main title={t('title')!}>
      {t(\`status.\${status}\`)}{t(LABELS[kind])}{tp('total', { count: 1 })}
      {(['x', 'y'] as const).map((each) => <p key={each}>{t(\`list.\${each}\`)}</p>)}
      <Trans i18nKey="rich" t={t}>Hi <b>you</b></Trans>
      <Translation ns="other">{(say) => <i>{say('inner')}</i>}</Translation>
      <FormattedMessage id="intl.direct" defaultMessage="x" />
      {intl.formatMessage(messages.hello)}{kind satisfies string}
    </main>
  )
}
`
const EXPECTED = [
  'any/intl.direct',
  'any/intl.hello',
  'other/inner',
  'shop/cart.total',
  'shop/label.open',
  'shop/label.shut',
  'shop/list.x',
  'shop/list.y',
  'shop/rich',
  'shop/status.*',
  'shop/title',
]

describe('TSX', () => {
  const keys = (code: string, file: string) =>
    usesIn(code, file)
      .filter((use) => !use.endsWith('?'))
      .sort()
  test('as it is written', () => expect(keys(TSX, 'app.tsx')).toEqual(EXPECTED))
  test.each([
    ['automatic', { jsx: 'automatic' }],
    ['development', { jsx: 'automatic', jsxDev: true }],
    ['classic', { jsx: 'transform' }],
    ['for old browsers', { jsx: 'automatic', target: 'es2015' }],
    ['minified syntax', { jsx: 'automatic', minifySyntax: true, minifyWhitespace: true }],
  ] as const)('by esbuild: %s', async (_, options) => {
    const { code } = await transform(TSX, { loader: 'tsx', format: 'esm', ...options })
    expect(keys(code, 'app.tsx')).toEqual(EXPECTED)
  })
  test('by oxc', async () => {
    const { code } = await oxcTransform('app.tsx', TSX)
    expect(keys(code, 'app.tsx')).toEqual(EXPECTED)
  })
})

const VUE = `<script setup lang="ts">
import { useI18n } from 'vue-i18n'
const props = defineProps<{ kind: string }>()
const { t, te: has, tm } = useI18n()
const label = has('maybe') ? t('script') : ''
</script>
<template>
  <p :title="t('title')" v-t="'directive'">{{ $t('global') }} {{ t(\`kind.\${props.kind}\`) }} {{ label }}</p>
  <i18n-t keypath="rich" tag="p"><b v-t="{ path: 'object' }">{{ $tm('list') }}</b></i18n-t>
  <li v-for="one in tm('section')">{{ one }}</li>
</template>
`
const IN_VUE = [
  'any/directive',
  'any/global',
  'any/kind.*',
  'any/list',
  'any/maybe',
  'any/object',
  'any/rich',
  'any/script',
  'any/section',
  'any/title',
]

describe('Vue', () => {
  test.each([true, false])('script setup, template inline: %s', (inlineTemplate) => {
    const { descriptor } = parse(VUE, { filename: 'app.vue' })
    const script = compileScript(descriptor, { id: 'x', inlineTemplate })
    const template = inlineTemplate
      ? ''
      : compileTemplate({
          id: 'x',
          filename: 'app.vue',
          source: descriptor.template?.content ?? '',
          compilerOptions: { ...(script.bindings && { bindingMetadata: script.bindings }) },
        }).code
    const all = [...usesIn(script.content, 'app.vue'), ...usesIn(template, 'app.vue')]
    expect([...new Set(all)].filter((use) => !use.endsWith('?')).sort()).toEqual(IN_VUE)
    if (inlineTemplate) expect(all).not.toContain('any/?')
  })
  test('for a server', () => {
    const { descriptor } = parse(VUE, { filename: 'app.vue' })
    const options = { id: 'x', inlineTemplate: true, templateOptions: { ssr: true, ssrCssVars: [] } }
    expect(usesIn(compileScript(descriptor, options).content, 'app.vue').sort()).toEqual(IN_VUE)
  })
  test('a name of its own in a template', () => {
    const source = `<script setup>import { useI18n } from 'vue-i18n'; const { t: say } = useI18n()</script>
      <template>{{ say('a') }}</template>`
    const { descriptor } = parse(source, { filename: 'app.vue' })
    expect(usesIn(compileScript(descriptor, { id: 'x', inlineTemplate: true }).content, 'app.vue')).toEqual(['any/a'])
    expect(usesIn(compileScript(descriptor, { id: 'x', inlineTemplate: false }).content, 'app.vue')).toEqual(['any/?'])
  })
})

const SVELTE = `<script lang="ts">
  import { _, t, format } from 'svelte-i18n'
  import { Trans } from './trans'
  let { kind }: { kind: string } = $props()
</script>
<h1 title={$t('title')}>{$_('under')} {$format('formatted')} {$t(\`kind.\${kind}\`)}</h1>
{#each ['x', 'y'] as each}<p>{$t('list.' + each)}</p>{/each}
{#if $t('condition') !== ''}<Trans i18nKey="rich" /><Trans i18nKey={'kind.' + kind} />{/if}
`

describe('Svelte', () => {
  test.each(['client', 'server'] as const)('for the %s', (generate) => {
    const { js } = compile(SVELTE, { filename: 'app.svelte', generate })
    const uses = usesIn(js.code, 'app.svelte')
    for (const key of ['title', 'under', 'formatted', 'kind.*', 'condition']) expect(uses).toContain(`any/${key}`)
    expect(uses).toContain('any/rich')
    expect(uses.some((use) => use === 'any/list.*' || use === 'any/list.x')).toBe(true)
  })
  test('version 4, with stores in ctx', () => {
    const code = `function create_fragment(ctx) {
        let t0_value = /*$t*/ ctx[1]('title') + ""; /*$_*/ ctx[2]("k." + /*kind*/ ctx[0]); ctx[3](ctx[4])
      }
      function instance($$self) {
        let $t; component_subscribe($$self, t, ($$value) => $$invalidate(1, ($t = $$value)))
      }`
    expect(usesIn(code, 'app.svelte').filter((use) => !use.endsWith('?'))).toEqual(['any/title', 'any/k.*'])
  })
})

test('places lead back to the file', async () => {
  const compileFile = createCompile(repository)
  const vue = await compileFile('app.vue', VUE)
  const svelte = await compileFile('app.svelte', SVELTE)
  const place = (blocks: typeof vue, needle: string) => {
    for (const { code, place: back } of blocks) {
      const at = code.indexOf(needle)
      const before = code.slice(0, at).split('\n')
      if (at !== -1) return back({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }).line
    }
    return undefined
  }
  expect(place(vue, "t('script')")).toBe(5)
  expect(place(svelte, "('under')")).toBe(6)
})
