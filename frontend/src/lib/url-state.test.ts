import { describe, expect, it } from 'vitest'
import { parseSearch, rangeOf, shellSearch, tableSearch, writeSearch } from './url-state'

describe('the address', () => {
  it('comes back as it was written', () => {
    const search = { from: '2026-11-18T09:47:10Z', to: 'now', sort: '-wait_seconds', q: 'a b&c', limit: 200 }
    const text = writeSearch(search)
    expect(text).toContain('from=2026-11-18T09:47:10Z')
    const read = { ...shellSearch.parse(parseSearch(text)), ...tableSearch.parse(parseSearch(text)) }
    expect(read).toMatchObject(search)
  })

  it('drops what it cannot read and keeps the rest', () => {
    const read = shellSearch.parse(parseSearch('?from=tomorrow&to=now-5m&tz=mars&old=1'))
    expect(read).toEqual({ to: 'now-5m' })
    expect(tableSearch.parse(parseSearch('?limit=13&sort=a;b')).limit).toBeUndefined()
  })

  it('is empty for the defaults', () => {
    expect(writeSearch({ from: undefined, q: '' })).toBe('')
    expect(rangeOf({})).toEqual({ from: 'now-1h', to: 'now' })
  })

  it('reads a number in epoch milliseconds as a time', () => {
    expect(shellSearch.parse(parseSearch('?from=1790001857600')).from).toBe('1790001857600')
  })
})
