/** What was synced, translated and published, the newest first. */
import { useState } from 'preact/hooks'
import type { LogLine } from '../wire.ts'
import { useLive } from './live.ts'
import { Trouble, Waiting } from './parts.tsx'

export function LogView() {
  const { data, failure } = useLive<{ lines: readonly LogLine[] }>('log', 'log')
  const [onlyProblems, setOnlyProblems] = useState(false)
  if (failure) return <Trouble message={failure.message} />
  if (!data) return <Waiting what="Loading" />
  const lines = data.lines.filter(({ level }) => !onlyProblems || level !== 'info').toReversed()
  return (
    <section class="card" aria-labelledby="log-title">
      <div class="head">
        <h2 id="log-title">Log</h2>
        <label class="check">
          <input type="checkbox" checked={onlyProblems} onChange={(e) => setOnlyProblems(e.currentTarget.checked)} />
          Warnings and errors only
        </label>
      </div>
      {lines.length === 0 ? <p class="soft">Nothing yet.</p> : null}
      <ol class="log">
        {lines.map(({ id, at, level, message }) => (
          <li key={id} class={level}>
            <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
            <span>
              {level === 'info' ? null : <strong>{level === 'warn' ? 'warning' : 'error'}: </strong>}
              {message}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
