import { has, load, onUpdate } from 'virtual:translations'
import { useEffect, useState } from 'react'
import { useRevalidator } from 'react-router'
import { Help } from '../help.jsx'

export async function loader({ params }) {
  if (!has(params.language, 'common')) throw new Response(null, { status: 404 })
  const { title, pots } = await load(params.language, 'common')
  return { title, pots }
}

export default function Page({ loaderData, params }) {
  const { revalidate } = useRevalidator()
  useEffect(() => onUpdate(() => revalidate()), [revalidate])
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>{loaderData.title}</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        {loaderData.pots.replace('{count}', String(count))}
      </button>
      <Help language={params.language} />
    </main>
  )
}
