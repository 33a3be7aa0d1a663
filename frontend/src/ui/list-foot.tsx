import { count } from '@/lib/format'
import { PAGE_SIZES } from '@/lib/url-state'
import { Button } from './button'
import styles from './list-foot.module.css'
import { Segments } from './segments'

type ListFootProps = {
  shown: number
  total: number
  limit: number
  nextCursor: string | null
  onFirstPage: boolean
  onLimit: (limit: number) => void
  onNext: (cursor: string) => void
  onFirst: () => void
}

/** "50 of 1,312" and the ways to the rest. Absent when everything is on the page. */
export function ListFoot({
  shown,
  total,
  limit,
  nextCursor,
  onFirstPage,
  onLimit,
  onNext,
  onFirst,
}: ListFootProps) {
  if (onFirstPage && nextCursor === null && total <= PAGE_SIZES[0]) return null
  return (
    <footer className={styles.foot}>
      <span className="num">
        {count(shown)} of {count(total)}
      </span>
      <Segments
        label="Rows per page"
        value={String(limit)}
        options={PAGE_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
        onChange={(value) => onLimit(Number(value))}
      />
      <span className={styles.steps}>
        {onFirstPage ? null : (
          <Button size="small" onClick={onFirst}>
            First page
          </Button>
        )}
        {nextCursor === null ? null : (
          <Button size="small" onClick={() => onNext(nextCursor)}>
            Next page
          </Button>
        )}
      </span>
    </footer>
  )
}
