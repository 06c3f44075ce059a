import { Outlet, Scripts, useParams } from 'react-router'

export default function Root() {
  const { language } = useParams()
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
