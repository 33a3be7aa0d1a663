import { getCoreRowModel, type Row, useReactTable } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import styles from './data-table.module.css'
import { type Column, cellClass, toColumnDefs } from './data-table-columns'
import { HeadCell } from './data-table-head'
import { SkeletonText } from './skeleton'
import { VirtualRows } from './virtual-rows'

const VIRTUAL_ABOVE_ROWS = 200

type DataTableProps<T> = {
  label: string
  columns: readonly Column<T>[]
  /** Undefined draws the skeleton in final size. */
  rows: readonly T[] | undefined
  rowId: (row: T) => string
  /** `field` or `-field`, as the API takes it. */
  sort?: string
  onSort?: (sort: string) => void
  /** The row that matters: the harm's colour as ground. */
  isHarmful?: (row: T, index: number) => boolean
  skeletonRows?: number
  dense?: boolean
  empty?: ReactNode
  /** Rows under the list that belong to it: sums, a group of system services. */
  foot?: ReactNode
}

export function DataTable<T>(props: DataTableProps<T>) {
  const {
    label,
    columns,
    rows,
    rowId,
    sort,
    onSort,
    isHarmful,
    skeletonRows = 8,
    dense = false,
    empty,
    foot,
  } = props
  const table = useReactTable({
    data: (rows ?? []) as T[],
    columns: toColumnDefs(columns),
    getRowId: rowId,
    getCoreRowModel: getCoreRowModel(),
    manualSorting: true,
    manualPagination: true,
  })
  const list = table.getRowModel().rows
  const draw = (row: Row<T>, index: number) => (
    <tr
      key={row.id}
      className={isHarmful?.(row.original, index) ? styles.harmful : undefined}
      aria-rowindex={index + 2}
    >
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          {column.cell(row.original)}
        </td>
      ))}
    </tr>
  )
  if (rows?.length === 0 && empty) return empty
  return (
    <div className={styles.scroll}>
      <table
        className={`${styles.table} ${dense ? styles.dense : ''}`}
        aria-label={label}
        aria-rowcount={rows ? list.length + 1 : undefined}
        aria-busy={rows === undefined}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        {rows === undefined ? (
          <SkeletonRows columns={columns} count={skeletonRows} />
        ) : list.length > VIRTUAL_ABOVE_ROWS ? (
          <VirtualRows rows={list} columns={columns.length} dense={dense} draw={draw} />
        ) : (
          <tbody>{list.map(draw)}</tbody>
        )}
        {foot}
      </table>
    </div>
  )
}

function SkeletonRows<T>({ columns, count }: { columns: readonly Column<T>[]; count: number }) {
  return (
    <tbody>
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: place-holders have no identity
        <tr key={row}>
          {columns.map((column, index) => (
            <td key={column.id} className={cellClass(column)}>
              <SkeletonText index={row + index} wide={column.grow} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}
