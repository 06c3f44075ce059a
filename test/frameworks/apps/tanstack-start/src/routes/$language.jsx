import { has, load, onUpdate } from 'virtual:translations'
import { createFileRoute, notFound, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Help } from '../help.jsx'

export const Route = createFileRoute('/$language')({
  loader: async ({ params }) => {
    if (!has(params.language, 'common')) throw notFound()
    const { title, pots } = await load(params.language, 'common')
    return { title, pots }
  },
  component: Page,
})

function Page() {
  const router = useRouter()
  useEffect(() => onUpdate(() => router.invalidate()), [router])
  const { title, pots } = Route.useLoaderData()
  const { language } = Route.useParams()
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>{title}</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        {pots.replace('{count}', String(count))}
      </button>
      <Help language={language} />
    </main>
  )
}
