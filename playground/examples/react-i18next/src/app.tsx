import { languages } from 'virtual:translations'

/** A language's name in that language. */
const ownName = (key: string): string => new Intl.DisplayNames([key], { type: 'language' }).of(key) ?? key

import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'

export function App() {
  const { t, i18n } = useTranslation()
  const [name, setName] = useState('')
  const [count, setCount] = useState(1)
  const [open, setOpen] = useState(false)
  const tea = t('tea')
  return (
    <main lang={i18n.language} dir={i18n.dir()}>
      <nav aria-label={t('language')}>
        {languages.map(({ key }) => (
          <button
            key={key}
            type="button"
            lang={key}
            aria-pressed={key === i18n.language}
            onClick={() => i18n.changeLanguage(key)}
          >
            {ownName(key)}
          </button>
        ))}
      </nav>
      <h1>{t('title')}</h1>
      <label>
        {t('name.label')}
        <input value={name} placeholder={t('name.placeholder')} onChange={(event) => setName(event.target.value)} />
      </label>
      <p className="greeting">{name ? t('greeting.named', { name }) : t('greeting.guest')}</p>
      <div className="basket">
        <span className="bags">{t('bags', { count })}</span>
        <div>
          <button
            type="button"
            className="fewer"
            aria-label={t('fewer', { tea })}
            onClick={() => setCount(Math.max(0, count - 1))}
          >
            −
          </button>
          <button type="button" className="more" aria-label={t('more', { tea })} onClick={() => setCount(count + 1)}>
            +
          </button>
        </div>
      </div>
      <button type="button" className="tea" aria-expanded={open} onClick={() => setOpen(!open)}>
        {tea}
      </button>
      <Suspense>{open && <Details />}</Suspense>
    </main>
  )
}

/** Its namespace is fetched when it is first shown. */
function Details() {
  const { t } = useTranslation('details')
  return <p className="note">{t('note')}</p>
}
