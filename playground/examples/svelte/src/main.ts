import { mount } from 'svelte'
import App from './app.svelte'
import { texts } from './texts.svelte.ts'

await texts.use(document.documentElement.lang)
mount(App, { target: document.getElementById('app') as HTMLElement })
