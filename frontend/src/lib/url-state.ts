import { z } from 'zod'
import { DEFAULT_RANGE, instantOf, type TimeRange } from './time-range'

/** A parameter that cannot be read is dropped, not shown as an error: old links must keep opening. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined)
}

const end = z.coerce.string().refine((text) => instantOf(text, 0) !== null)

/** What every page keeps in its address. Absent means the default, so plain addresses stay short. */
export const shellSearch = z.object({
  from: optional(end),
  to: optional(end),
  tz: optional(z.enum(['utc', 'local'])),
  refresh: optional(z.enum(['off'])),
})
export type ShellSearch = z.infer<typeof shellSearch>

export const PAGE_SIZES = [50, 200, 500] as const

/** What a page with a table keeps besides. */
export const tableSearch = z.object({
  sort: optional(z.string().regex(/^-?[a-z0-9_]{1,40}$/)),
  q: optional(z.coerce.string().min(1).max(200)),
  cursor: optional(z.coerce.string().min(1).max(500)),
  limit: optional(z.coerce.number().pipe(z.literal(PAGE_SIZES))),
})
export type TableSearch = z.infer<typeof tableSearch>

export function rangeOf(search: ShellSearch): TimeRange {
  if (search.from === undefined && search.to === undefined) return DEFAULT_RANGE
  return { from: search.from ?? DEFAULT_RANGE.from, to: search.to ?? DEFAULT_RANGE.to }
}

/** Plain `a=b` addresses: JSON quoting would make a hand-written link fail. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {}
  for (const [key, value] of new URLSearchParams(text)) {
    const before = result[key]
    if (before === undefined) result[key] = value
    else result[key] = Array.isArray(before) ? [...before, value] : [before, value]
  }
  return result
}

export function writeSearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(key, String(one))
  }
  // Colons are legal in a query and times stay readable.
  const text = parameters.toString().replaceAll('%3A', ':')
  return text === '' ? '' : `?${text}`
}
