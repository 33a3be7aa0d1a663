import { ArrowDown, ArrowUp } from 'lucide-react'
import styles from './data-table.module.css'
import { type Column, cellClass, nextSort, sortState } from './data-table-columns'

type HeadCellProps<T> = { column: Column<T>; sort?: string; onSort?: (sort: string) => void }

export function HeadCell<T>({ column, sort, onSort }: HeadCellProps<T>) {
  const words = (
    <span>
      {column.head}
      {column.unit ? <span className={styles.unit}>, {column.unit}</span> : null}
    </span>
  )
  if (!column.sortable || !onSort) {
    return (
      <th scope="col" className={cellClass(column)} title={column.help}>
        {words}
      </th>
    )
  }
  const state = sortState(column.id, sort)
  const Arrow = state === 'ascending' ? ArrowUp : ArrowDown
  return (
    <th scope="col" className={cellClass(column)} aria-sort={state} title={column.help}>
      <button
        type="button"
        className={state === 'none' ? styles.sorter : styles.sorted}
        onClick={() => onSort(nextSort(column.id, sort, column.sortFirst ?? 'desc'))}
      >
        {words}
        <Arrow size={12} strokeWidth={2} aria-hidden className={styles.arrow} />
      </button>
    </th>
  )
}
