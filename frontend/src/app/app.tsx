import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import type { makeApp } from './make-app'
import { mantineTheme, mantineVariables } from './mantine-theme'

type AppProps = ReturnType<typeof makeApp> & {
  /** `test` makes overlays appear at once, where no browser lays them out. */
  env?: 'default' | 'test'
}

export function App({ queryClient, router, env = 'default' }: AppProps) {
  return (
    <MantineProvider
      env={env}
      theme={mantineTheme}
      cssVariablesResolver={mantineVariables}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
