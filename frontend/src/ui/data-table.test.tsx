import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { DataTable } from './data-table'
import { type Column, nextSort, sortState } from './data-table-columns'

type Item = { id: string; wait: number }

const columns: Column<Item>[] = [
  { id: 'name', head: 'Name', sortable: true, sortFirst: 'asc', cell: (row) => row.id },
  { id: 'wait', head: 'Wait', unit: 'ms', align: 'right', sortable: true, cell: (row) => row.wait },
  { id: 'note', head: 'Note', cell: () => 'x' },
]
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `c${index}`, wait: index }))
const shown = () => screen.getAllByRole('row').filter((row) => within(row).queryByText(/^c\d+$/))

describe('the order of a table', () => {
  it('starts with the worst for figures and with A for names', () => {
    expect(nextSort('wait', undefined, 'desc')).toBe('-wait')
    expect(nextSort('name', '-wait', 'asc')).toBe('name')
  })

  it('turns on the second click', () => {
    expect(nextSort('wait', '-wait', 'desc')).toBe('wait')
    expect(nextSort('wait', 'wait', 'desc')).toBe('-wait')
    expect(sortState('wait', '-wait_seconds')).toBe('none')
  })

  it('is asked for by the head and told to screen readers', async () => {
    const onSort = vi.fn()
    render(
      <DataTable
        label="Items"
        columns={columns}
        rows={items(2)}
        rowId={(row) => row.id}
        sort="-wait"
        onSort={onSort}
      />,
    )
    expect(screen.getByRole('columnheader', { name: 'Wait, ms' })).toHaveAttribute('aria-sort', 'descending')
    expect(screen.getByRole('columnheader', { name: 'Note' })).not.toHaveAttribute('aria-sort')
    await userEvent.click(screen.getByRole('button', { name: 'Name' }))
    expect(onSort).toHaveBeenCalledWith('name')
  })
})

describe('the rows of a table', () => {
  it('are all in the page up to 200', () => {
    render(<DataTable label="Items" columns={columns} rows={items(200)} rowId={(row) => row.id} />)
    expect(shown()).toHaveLength(200)
  })

  it('are only those in view above 200, and their number is told', () => {
    render(<DataTable label="Items" columns={columns} rows={items(5_000)} rowId={(row) => row.id} />)
    expect(shown().length).toBeLessThan(200)
    expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '5001')
  })

  it('are place-holders while they load', () => {
    render(
      <DataTable
        label="Items"
        columns={columns}
        rows={undefined}
        rowId={(row: Item) => row.id}
        skeletonRows={4}
      />,
    )
    expect(screen.getByRole('table')).toHaveAttribute('aria-busy', 'true')
    expect(screen.getAllByRole('row')).toHaveLength(5)
  })

  it('give way to words when there are none', () => {
    render(
      <DataTable
        label="Items"
        columns={columns}
        rows={[]}
        rowId={(row) => row.id}
        empty={<p>Nothing here</p>}
      />,
    )
    expect(screen.getByText('Nothing here')).toBeInTheDocument()
    expect(screen.queryByRole('table')).not.toBeInTheDocument()
  })
})
