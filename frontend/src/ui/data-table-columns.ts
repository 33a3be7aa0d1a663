import type { ColumnDef } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import styles from './data-table.module.css'

/** When the card gets narrow, columns of level 3 go first, then 2; level 1 stays on a phone. */
export type Level = 1 | 2 | 3

export type Column<T> = {
  /** Also the API's name of the field when the column sorts. */
  id: string
  head: ReactNode
  /** In the secondary colour after the head. */
  unit?: string
  cell: (row: T) => ReactNode
  align?: 'left' | 'right'
  /** Takes the room that is left; long names end in an ellipsis only here. */
  grow?: boolean
  sortable?: boolean
  /** First click sorts by harm, so descending, unless the column is a name. */
  sortFirst?: 'asc' | 'desc'
  level?: Level
  /** How it is measured, as the head's title. */
  help?: string
}

export function toColumnDefs<T>(columns: readonly Column<T>[]): ColumnDef<T>[] {
  return columns.map((column) => ({ id: column.id, cell: ({ row }) => column.cell(row.original) }))
}

export function cellClass<T>(column: Column<T>): string {
  const names = [styles.cell]
  if (column.align === 'right') names.push(styles.right)
  if (column.grow) names.push(styles.grow)
  if (column.level === 2) names.push(styles.level2)
  if (column.level === 3) names.push(styles.level3)
  return names.filter(Boolean).join(' ')
}

export type SortState = 'none' | 'ascending' | 'descending'

export function sortState(id: string, sort: string | undefined): SortState {
  if (sort === id) return 'ascending'
  return sort === `-${id}` ? 'descending' : 'none'
}

/** What a click on the head asks for. */
export function nextSort(id: string, sort: string | undefined, first: 'asc' | 'desc'): string {
  const state = sortState(id, sort)
  if (state === 'none') return first === 'desc' ? `-${id}` : id
  return state === 'ascending' ? `-${id}` : id
}
