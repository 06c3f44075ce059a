'use client'

import { useState } from 'react'

export function Pots({ text }) {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {text.replace('{count}', String(count))}
    </button>
  )
}
