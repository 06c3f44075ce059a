/** Dark, light, or as the system has it. */
import { useState } from 'preact/hooks'

type Theme = 'auto' | 'light' | 'dark'
const THEMES: readonly Theme[] = ['auto', 'light', 'dark']
const KEPT = 'localization-theme'

export function applyTheme(): Theme {
  let theme: Theme = 'auto'
  try {
    theme = THEMES.find((one) => one === localStorage.getItem(KEPT)) ?? 'auto'
  } catch {
    // Storage is off: as the system has it.
  }
  set(theme)
  return theme
}

function set(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function ThemeButton() {
  const [theme, setTheme] = useState(applyTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => {
        set(next)
        setTheme(next)
        try {
          localStorage.setItem(KEPT, next)
        } catch {
          // It holds until the page is loaded anew.
        }
      }}
    >
      {{ auto: '◐', light: '☀', dark: '☾' }[theme]}
    </button>
  )
}
