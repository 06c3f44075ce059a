/** A real client of hosting: i18next with i18next-http-backend, as a user sets them up. */
import { createInstance } from 'i18next'
import Backend from 'i18next-http-backend'
import { expect, test } from 'vitest'
import { createProject, startService } from '../helpers/service.ts'

test('i18next with i18next-http-backend reads hosting and shows the texts', async () => {
  const service = await startService()
  const project = await createProject(service)
  const single = 'uploadFormat=single-language-json'
  await project.import(
    {
      greeting: 'Hello {{name}}',
      'a key. With: a sentence': 'A sentence',
      item_one: '{{count}} item',
      item_other: '{{count}} items',
    },
    `${single}&languageKey=en&namespace=common`,
  )
  await project.import({ greeting: 'Cześć {{name}}' }, `${single}&languageKey=pl&namespace=common`)
  await project.import({ title: 'Ustawienia' }, `${single}&languageKey=pl&namespace=views/settings`)
  await project.publish()
  await project.publish('_production')

  const i18next = createInstance().use(Backend)
  await i18next.init({
    lng: 'pl',
    fallbackLng: 'en',
    ns: ['common', 'views/settings'],
    defaultNS: 'common',
    keySeparator: false,
    nsSeparator: false,
    backend: { loadPath: `${service.cdnUrl}/${project.projectToken}/_production/{{lng}}/{{ns}}` },
  })
  expect(i18next.t('greeting', { name: 'Ola' })).toBe('Cześć Ola')
  expect(i18next.t('title', { ns: 'views/settings' })).toBe('Ustawienia')
  expect(i18next.t('a key. With: a sentence')).toBe('A sentence')
  expect([1, 5].map((count) => i18next.t('item', { count, lng: 'en' }))).toEqual(['1 item', '5 items'])
})
