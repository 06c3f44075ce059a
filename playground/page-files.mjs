import { readFile } from 'node:fs/promises'

const read = (name) => readFile(new URL(name, import.meta.url), 'utf8')

/** `index.html` and the style as they are served beside a bundled `main.js`: Vite does the same by itself. */
export async function pageFiles() {
  const page = await read('index.html')
  return [
    ['index.html', page.replace('./src/main.ts', './main.js').replace('./src/style.css', './style.css')],
    ['style.css', await read('src/style.css')],
  ]
}
