import { load, onUpdate } from 'virtual:translations'
import { useEffect, useState } from 'react'

export function Help({ language }) {
  const [texts, setTexts] = useState()
  const show = async () => setTexts({ ...(await load(language, 'help')) })
  const isOpen = texts !== undefined
  useEffect(() => {
    if (isOpen) return onUpdate(show)
  })
  return isOpen ? (
    <p>{texts.answer}</p>
  ) : (
    <button type="button" id="help" onClick={show}>
      ?
    </button>
  )
}
