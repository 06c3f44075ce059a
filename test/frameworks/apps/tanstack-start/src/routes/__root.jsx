import { createRootRoute, HeadContent, Outlet, Scripts, useParams } from '@tanstack/react-router'

export const Route = createRootRoute({
  head: () => ({ meta: [{ charSet: 'utf-8' }], links: [{ rel: 'icon', href: 'data:,' }] }),
  component: Root,
})

function Root() {
  const { language } = useParams({ strict: false })
  return (
    <html lang={language}>
      <head>
        <HeadContent />
      </head>
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
