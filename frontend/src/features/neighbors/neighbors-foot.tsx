import { count, cpuSeconds } from '@/lib/format'
import { type Column, cellClass } from '@/ui/data-table-columns'
import styles from './neighbors-foot.module.css'
import type { NeighborItem, NeighborList } from './neighbors-query'

type NeighborsFootProps = { list: NeighborList; columns: readonly Column<NeighborItem>[] }

/** What the list leaves out, the sum that it adds up to, and the system services apart. */
export function NeighborsFoot({ list, columns }: NeighborsFootProps) {
  return (
    <>
      <Sums list={list} columns={columns} />
      <Services rows={list.system_items} columns={columns} />
    </>
  )
}

function Sums({ list, columns }: NeighborsFootProps) {
  const { total_stolen_cpu_seconds: total } = list
  if (list.items.length === 0 || total === null) return null
  const others = list.total - list.items.length
  return (
    <tbody>
      {others > 0 ? (
        <SumRow
          columns={columns}
          className={styles.others}
          name={`${count(others)} others`}
          stolen={total - stolenBy(list.items)}
        />
      ) : null}
      <SumRow columns={columns} className={styles.sum} name="All containers" stolen={total} />
    </tbody>
  )
}

function stolenBy(rows: readonly NeighborItem[]): number {
  return rows.reduce((sum, row) => sum + (row.stolen_cpu_seconds ?? 0), 0)
}

type SumRowProps = {
  columns: readonly Column<NeighborItem>[]
  className: string | undefined
  name: string
  stolen: number
}

function SumRow({ columns, className, name, stolen }: SumRowProps) {
  const text: Record<string, string> = { name, stolen_cpu_seconds: cpuSeconds(stolen) }
  return (
    <tr className={className}>
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          {text[column.id]}
        </td>
      ))}
    </tr>
  )
}

function Services({
  rows,
  columns,
}: {
  rows: readonly NeighborItem[]
  columns: NeighborsFootProps['columns']
}) {
  if (rows.length === 0) return null
  return (
    <tbody>
      <tr className={styles.group}>
        <th scope="rowgroup" colSpan={columns.length}>
          System services <span>cgroups that are no container: {cpuSeconds(stolenBy(rows))} CPU-s</span>
        </th>
      </tr>
      {rows.map((row) => (
        <tr key={row.id}>
          {columns.map((column) => (
            <td key={column.id} className={cellClass(column)}>
              {column.cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}
