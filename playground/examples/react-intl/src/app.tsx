import { languages } from 'virtual:translations'

/** A language's name in that language. */
const ownName = (key: string): string => new Intl.DisplayNames([key], { type: 'language' }).of(key) ?? key

import { useState, useSyncExternalStore } from 'react'
import { FormattedMessage, IntlProvider, useIntl } from 'react-intl'
import type { IntlStore } from 'unplugin-localization/react-intl'

export function App({ texts }: { texts: IntlStore }) {
  const props = useSyncExternalStore(texts.subscribe, texts.getSnapshot, texts.getSnapshot)
  return (
    <IntlProvider {...props}>
      <Counter texts={texts} />
    </IntlProvider>
  )
}

function Counter({ texts }: { texts: IntlStore }) {
  const { formatMessage, locale } = useIntl()
  const [name, setName] = useState('')
  const [count, setCount] = useState(1)
  const [open, setOpen] = useState(false)
  const tea = formatMessage({ id: 'common.tea' })

  async function toggle() {
    await texts.loadNamespaces('details')
    setOpen(!open)
  }

  return (
    <main lang={locale} dir={locale === 'ar' ? 'rtl' : 'ltr'}>
      <nav aria-label={formatMessage({ id: 'common.language' })}>
        {languages.map(({ key }) => (
          <button
            key={key}
            type="button"
            lang={key}
            aria-pressed={key === locale}
            onClick={() => texts.setLanguage(key)}
          >
            {ownName(key)}
          </button>
        ))}
      </nav>
      <h1>
        <FormattedMessage id="common.title" />
      </h1>
      <label>
        <FormattedMessage id="common.name.label" />
        <input
          value={name}
          placeholder={formatMessage({ id: 'common.name.placeholder' })}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <p className="greeting">
        <FormattedMessage id={name ? 'common.greeting.named' : 'common.greeting.guest'} values={{ name }} />
      </p>
      <div className="basket">
        <span className="bags">
          <FormattedMessage id="common.bags" values={{ count }} />
        </span>
        <div>
          <button
            type="button"
            className="fewer"
            aria-label={formatMessage({ id: 'common.fewer' }, { tea })}
            onClick={() => setCount(Math.max(0, count - 1))}
          >
            −
          </button>
          <button
            type="button"
            className="more"
            aria-label={formatMessage({ id: 'common.more' }, { tea })}
            onClick={() => setCount(count + 1)}
          >
            +
          </button>
        </div>
      </div>
      <button type="button" className="tea" aria-expanded={open} onClick={toggle}>
        {tea}
      </button>
      {open && (
        <p className="note">
          <FormattedMessage id="details.note" />
        </p>
      )}
    </main>
  )
}
