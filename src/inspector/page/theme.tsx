/** Dark, light, or the system's setting. */
import { useState } from 'preact/hooks'
import { readStored, store } from './stored.ts'

const SIGNS = { auto: '◐', light: '☀', dark: '☾' }
type Theme = keyof typeof SIGNS
const THEMES = Object.keys(SIGNS) as readonly Theme[]
const STORED = 'localization-theme'

/** Applies the theme that was last selected. */
export function applyTheme(): Theme {
  const theme = THEMES.find((one) => one === readStored('localStorage', STORED)) ?? 'auto'
  document.documentElement.dataset.theme = theme
  return theme
}

export function ThemeButton() {
  const [theme, setTheme] = useState(applyTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto'
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => {
        store('localStorage', STORED, next)
        document.documentElement.dataset.theme = next
        setTheme(next)
      }}
    >
      {SIGNS[theme]}
    </button>
  )
}
