import { createApp, createSSRApp } from 'vue'
import App from './app.vue'
import { createTexts, LOADER } from './i18n.ts'

const root = document.getElementById('app') as HTMLElement
const { i18n, loader } = await createTexts(document.documentElement.lang)
const create = root.firstElementChild ? createSSRApp : createApp
create(App).use(i18n).provide(LOADER, loader).mount(root)
