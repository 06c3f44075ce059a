/** Short messages in the corner of the page. */
import { useEffect, useState } from 'preact/hooks'

interface Notice {
  readonly id: number
  readonly text: string
  readonly kind: 'info' | 'error'
}

const MOST_NOTICES = 4
const SHOWN_MS = 7_000

let show: ((notice: Notice) => void) | undefined
let lastId = 0

/** Shows a message for a few seconds. */
export function notice(text: string, kind: Notice['kind'] = 'info'): void {
  show?.({ id: ++lastId, text, kind })
}

export function Notices() {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  useEffect(() => {
    show = (made) => {
      setNotices((before) => [...before.slice(1 - MOST_NOTICES), made])
      setTimeout(() => setNotices((before) => before.filter((one) => one !== made)), SHOWN_MS)
    }
  }, [])
  return (
    <div class="notices" role="status">
      {notices.map(({ id, text, kind }) => (
        <div key={id} class={`notice ${kind}`}>
          {text}
        </div>
      ))}
    </div>
  )
}
