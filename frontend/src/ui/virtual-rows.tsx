import type { Row } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

const ROW_PX = { normal: 33, dense: 27, touch: 44 }
const OVERSCAN_ROWS = 12

type VirtualRowsProps<T> = {
  rows: Row<T>[]
  columns: number
  dense: boolean
  draw: (row: Row<T>, index: number) => ReactNode
}

/** Draws only the rows in view; two spacers keep the page as long as the whole list. */
export function VirtualRows<T>({ rows, columns, dense, draw }: VirtualRowsProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY)
  }, [])
  const touch = window.matchMedia('(max-width: 599px)').matches
  const height = touch ? ROW_PX.touch : dense ? ROW_PX.dense : ROW_PX.normal
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
  })
  const items = virtualizer.getVirtualItems()
  const before = Math.max(0, (items[0]?.start ?? top) - top)
  const after = Math.max(0, virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top))
  return (
    <tbody ref={body}>
      <Spacer columns={columns} height={before} />
      {items.map((item) => {
        const row = rows[item.index]
        return row ? draw(row, item.index) : null
      })}
      <Spacer columns={columns} height={after} />
    </tbody>
  )
}

function Spacer({ columns, height }: { columns: number; height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}
