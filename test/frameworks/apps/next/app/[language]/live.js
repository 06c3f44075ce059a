'use client'

import { load, onUpdate } from 'virtual:translations'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** In development: asks the server for the page again when a text of the namespace was edited. In production it fetches nothing. */
export function Live({ language, namespace }) {
  const { refresh } = useRouter()
  useEffect(() => {
    if (process.env.NODE_ENV !== 'development') return
    load(language, namespace)
    return onUpdate(() => refresh())
  }, [language, namespace, refresh])
}
