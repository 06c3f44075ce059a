/**
 * While Alt is held, outlines the translated texts. A click, or an arrow key and Enter, opens the editor. Adds a single
 * element to the app's page, and only when it is needed.
 */
import { INSPECTOR, messageOf } from '../calls.ts'
import { Outlines } from './outlines.ts'
import { createPopup } from './popup.tsx'

const host = document.createElement('localization-edit')
const root = host.attachShadow({ mode: 'open' })
const outlines = new Outlines(host, root)
const popup = createPopup(root)

async function turnOn(): Promise<void> {
  // Added only when needed, and after the body, so that code that hydrates or replaces the body does not encounter it.
  if (!host.isConnected) document.documentElement.append(host)
  try {
    await outlines.show(loadStyle())
  } catch (error) {
    outlines.hide()
    console.warn(`[unplugin-localization] cannot edit texts in the page: ${messageOf(error)}`)
  }
}

/** A constructed style sheet, because an app's content security policy may forbid style elements. */
async function loadStyle(): Promise<void> {
  if (root.adoptedStyleSheets.length > 0) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(await (await fetch(`${INSPECTOR}page.css`)).text())
  root.adoptedStyleSheets = [sheet]
}

function isOurs(event: Event): boolean {
  return event.composedPath().includes(host)
}

function stop(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

function onKeyDown(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, shiftKey } = event
  if (key === 'Alt' && !ctrlKey && !metaKey && !shiftKey && !outlines.isOn) void turnOn()
  if (outlines.isOn && event.altKey) stepByKey(event)
  if (key === 'Escape' && !event.composedPath().some((one) => one instanceof HTMLDialogElement)) popup.close()
}

/** While Alt is held, the arrow keys move between texts, and Enter opens one. */
function stepByKey(event: KeyboardEvent): void {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    stop(event)
    outlines.step(event.key === 'ArrowDown' ? 1 : -1)
  }
  const picked = event.key === 'Enter' ? outlines.currentText() : undefined
  if (!picked) return
  stop(event)
  outlines.hide()
  popup.open(picked)
}

function onKeyUp(event: KeyboardEvent): void {
  if (event.key !== 'Alt' || !outlines.isOn) return
  // Otherwise, some systems open the window's menu.
  event.preventDefault()
  outlines.hide()
}

function onClick(event: MouseEvent): void {
  if (isOurs(event)) return
  if (!outlines.isOn || !event.altKey) {
    popup.close()
    return
  }
  stop(event)
  const picked = outlines.textAt(event)
  if (!picked) return
  popup.open(picked)
  outlines.hide()
}

addEventListener('keydown', onKeyDown, true)
addEventListener('keyup', onKeyUp, true)
addEventListener('click', onClick, true)
addEventListener('blur', () => outlines.hide())
for (const type of ['scroll', 'resize']) {
  const drawSoon = () => outlines.isOn && requestAnimationFrame(() => outlines.draw())
  addEventListener(type, drawSoon, { capture: true, passive: true })
}
// The app must not react to a click that opens the editor.
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'auxclick'] as const) {
  addEventListener(type, (event) => outlines.isOn && event.altKey && !isOurs(event) && stop(event), true)
}
