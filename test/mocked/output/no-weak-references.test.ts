/** Cloudflare's workers with an older compatibility date have neither `WeakRef` nor `FinalizationRegistry`. */
import { afterEach, expect, test, vi } from 'vitest'
import type { TranslationUpdate } from '../../../src/runtime.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

test('texts are loaded, and follow updates', async () => {
  vi.stubGlobal('WeakRef', undefined)
  vi.stubGlobal('FinalizationRegistry', undefined)
  vi.resetModules()
  const { createIntlStore } = await import('../../../src/react-intl.ts')
  const listeners: ((update: TranslationUpdate) => void)[] = []
  const store = createIntlStore({
    languages: [{ key: 'en', name: 'English', isDefault: true }],
    defaultLanguage: 'en',
    namespaces: ['common'],
    has: () => true,
    load: async () => ({ title: 'Title' }),
    onUpdate(listener) {
      listeners.push(listener)
      return () => {}
    },
  })
  await store.setLanguage('en')
  expect(store.getSnapshot().messages).toEqual({ 'common.title': 'Title' })
  for (const listener of listeners)
    listener({ type: 'messages', language: 'en', namespace: 'common', messages: { title: 'Updated' } })
  expect(store.getSnapshot().messages).toEqual({ 'common.title': 'Updated' })
})
