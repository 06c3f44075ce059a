import { languages } from 'virtual:translations'
import { notFound } from 'next/navigation'

export const generateStaticParams = () => languages.map(({ key }) => ({ language: key }))

export default async function Layout({ children, params }) {
  const { language } = await params
  if (!languages.some(({ key }) => key === language)) notFound()
  return (
    <html lang={language}>
      <head>
        <link rel="icon" href="data:," />
      </head>
      <body>{children}</body>
    </html>
  )
}
