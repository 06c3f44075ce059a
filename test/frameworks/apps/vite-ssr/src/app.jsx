import * as translations from 'virtual:translations'
import { createInstance } from 'i18next'
import { useState } from 'react'
import { I18nextProvider, useTranslation } from 'react-i18next'
import { createBackend } from 'unplugin-localization/i18next'

/** An instance of its own for each request. */
export async function createApp(language) {
  const i18n = createInstance()
  await i18n.use(createBackend(translations)).init({
    lng: language,
    fallbackLng: false,
    ns: ['common'],
    defaultNS: 'common',
    interpolation: { prefix: '{', suffix: '}', escapeValue: false },
  })
  return (
    <I18nextProvider i18n={i18n}>
      <Page />
    </I18nextProvider>
  )
}

function Page() {
  const { t } = useTranslation()
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>{t('title')}</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        {t('pots', { count })}
      </button>
    </main>
  )
}
