/** What was synced, translated and published, the newest first. */
import { useState } from 'preact/hooks'
import { Card, Checkbox, Loaded } from './controls.tsx'
import { useLive } from './live.ts'

export function LogView() {
  const log = useLive('log', 'log', {})
  const [onlyProblems, setOnlyProblems] = useState(false)
  const filter = (
    <Checkbox checked={onlyProblems} onChange={setOnlyProblems}>
      Warnings and errors only
    </Checkbox>
  )
  return (
    <Loaded live={log}>
      {(all) => {
        const lines = all.filter(({ level }) => !onlyProblems || level !== 'info').reverse()
        return (
          <Card title="Log" actions={filter}>
            {lines.length === 0 && <p class="soft">Nothing yet.</p>}
            <ol class="log">
              {lines.map(({ id, at, level, message }) => (
                <li key={id}>
                  <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
                  <span>
                    {level === 'warn' && <strong class="warn">warning: </strong>}
                    {level === 'error' && <strong class="bad">error: </strong>}
                    {message}
                  </span>
                </li>
              ))}
            </ol>
          </Card>
        )
      }}
    </Loaded>
  )
}
