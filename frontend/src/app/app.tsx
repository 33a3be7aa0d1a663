import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { sessionQuery } from '@/features/session/session-query'
import { makeQueryClient } from '@/lib/query-client'
import { mantineTheme, mantineVariables } from './mantine-theme'
import { makeRouter } from './router'

function makeApp() {
  const queryClient = makeQueryClient(() => {
    const { location } = router.state
    if (location.pathname === '/sign-in') return
    queryClient.removeQueries({ queryKey: sessionQuery.queryKey })
    void router.navigate({ to: '/sign-in', search: { return: location.href } })
  })
  const router = makeRouter(queryClient)
  return { queryClient, router }
}

export function App() {
  const [{ queryClient, router }] = useState(makeApp)
  return (
    <MantineProvider theme={mantineTheme} cssVariablesResolver={mantineVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
