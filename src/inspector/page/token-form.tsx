/** Asks for the personal token of a service. */
import { useState } from 'preact/hooks'
import { giveToken } from './calls.ts'
import { ErrorText } from './controls.tsx'

export function TokenForm({ isRefused, onGiven }: { isRefused: boolean; onGiven: () => void }) {
  const [given, setGiven] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    giveToken(given.trim())
    onGiven()
  }
  return (
    <main class="lone">
      <form class="card" onSubmit={submit}>
        <h1>Translations</h1>
        <p>The texts of this service are shown to whoever has the personal token, which it printed when it started.</p>
        {isRefused && <ErrorText message="The service does not know this token: it makes a new one at each start." />}
        <label class="field">
          <span>Personal token</span>
          <input type="password" autocomplete="off" value={given} onInput={(e) => setGiven(e.currentTarget.value)} />
        </label>
        <button type="submit" class="button primary" disabled={given.trim() === ''}>
          Show the texts
        </button>
      </form>
    </main>
  )
}
