import { languages, load } from 'virtual:translations'
import { Live } from './live.js'
import { Pots } from './pots.js'

export const generateStaticParams = () => languages.map(({ key }) => ({ language: key }))

export default async function Page({ params }) {
  const { language } = await params
  const texts = await load(language, 'common')
  return (
    <main>
      <h1>{texts.title}</h1>
      <Pots text={texts.pots} />
      <Live language={language} namespace="common" />
    </main>
  )
}
