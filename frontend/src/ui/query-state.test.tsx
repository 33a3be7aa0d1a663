import { keepPreviousData, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { QueryState } from './query-state'

function View({ id, load }: { id: number; load: () => Promise<string> }) {
  const query = useQuery({
    queryKey: ['q', id],
    queryFn: load,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <QueryState query={query} what="the words" skeleton={<i data-testid="bones" />}>
      {(words) => <p>{words}</p>}
    </QueryState>
  )
}

function draw(first: () => Promise<string>) {
  const client = new QueryClient()
  const tree = (id: number, load: () => Promise<string>) => (
    <QueryClientProvider client={client}>
      <View id={id} load={load} />
    </QueryClientProvider>
  )
  const view = render(tree(1, first))
  return { ...view, next: (load: () => Promise<string>) => view.rerender(tree(2, load)) }
}

const never = () => new Promise<string>(() => undefined)

afterEach(() => vi.useRealTimers())

describe('a request', () => {
  it('that takes long says that it still works', async () => {
    vi.useFakeTimers()
    draw(never)
    expect(screen.getByTestId('bones')).toBeInTheDocument()
    expect(screen.queryByText(/Still loading/)).not.toBeInTheDocument()
    await act(() => vi.advanceTimersByTimeAsync(5_000))
    expect(screen.getByText('Still loading the words')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Ask again' })).toBeInTheDocument()
  })

  it('for another range keeps the old answer, marked busy', async () => {
    const { next, container } = draw(async () => 'old')
    await screen.findByText('old')
    next(never)
    expect(screen.getByText('old')).toBeInTheDocument()
    expect(container.querySelector('[aria-busy="true"]')).not.toBeNull()
  })

  it('for another range that fails does not pass the old answer off as the new one', async () => {
    const { next } = draw(async () => 'old')
    await screen.findByText('old')
    next(() => Promise.reject(new Error('No such range.')))
    expect(await screen.findByText('No such range.')).toBeInTheDocument()
    expect(screen.queryByText('old')).not.toBeInTheDocument()
  })
})
