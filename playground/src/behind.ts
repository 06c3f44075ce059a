/** Shows which text modules the page has fetched so far. */
import { follow, h } from './dom.ts'
import { clock, number } from './format.ts'
import { openedAt, state } from './state.ts'
import { language, loadedModules, namespaces, needed, t } from './texts.ts'

export function behind(): HTMLElement {
  const rows = h('tbody')
  follow(() => rows.replaceChildren(...tableRows()))
  return h(
    'section',
    { class: 'behind', 'aria-labelledby': 'behind-title' },
    h(
      'div',
      {},
      h('h2', { id: 'behind-title', 'data-text': 'common:behind.title' }, () => t('common:behind.title')),
      h('p', { class: 'aside', 'data-text': 'common:behind.intro' }, () => t('common:behind.intro')),
      h('p', { class: 'aside updates', 'aria-live': 'polite' }, () =>
        t('common:behind.updates', { count: state.textChanges, time: clock(openedAt) }),
      ),
    ),
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, () => t('common:behind.module')),
          h('th', { scope: 'col' }, () => t('common:behind.texts')),
        ),
      ),
      rows,
      h('tfoot', {}, h('tr', {}, h('td', { colspan: 2 }, summary))),
    ),
  )
}

function summary(): string {
  const modules = loadedModules()
  const count = modules.reduce((sum, module) => sum + module.texts, 0)
  return t('common:behind.summary', { count, modules: t('common:behind.modules', { count: modules.length }) })
}

function tableRows(): HTMLElement[] {
  const modules = loadedModules()
  return [
    ...modules.map((module) =>
      row(
        `${module.language}/${module.namespace}`,
        number(module.texts),
        module.language === language() ? 'shown' : '',
      ),
    ),
    ...namespaces
      .filter((namespace) => !needed(namespace))
      .map((namespace) => row(`${language()}/${namespace}`, t('common:behind.lazy'), 'lazy')),
  ]
}

function row(id: string, texts: string, name: string): HTMLElement {
  return h(
    'tr',
    { class: name },
    h('td', {}, h('code', { dir: 'ltr' }, h('span', { class: 'dim' }, 'virtual:translations/'), h('span', {}, id))),
    h('td', {}, texts),
  )
}
