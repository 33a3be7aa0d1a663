import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Sparkline, sparklinePieces } from './sparkline'

describe('sparkline', () => {
  it('breaks the line where nothing was measured', () => {
    const pieces = sparklinePieces([1, 2, null, 4], 86, 26)
    expect(pieces.map((piece) => piece.length)).toEqual([2, 1])
  })

  it('draws zero on the ground line and the maximum at the top', () => {
    const [piece] = sparklinePieces([0, 10], 86, 26)
    expect(piece).toEqual([
      [3, 23],
      [83, 3],
    ])
  })

  it('keeps a quiet series on the ground line', () => {
    const [piece] = sparklinePieces([0, 0], 86, 26)
    expect(piece?.map(([, y]) => y)).toEqual([23, 23])
  })

  it('dots the last point only when there is one', () => {
    const { container, rerender } = render(<Sparkline values={[1, 2]} label="Preemptions" />)
    expect(screen.getByRole('img', { name: 'Preemptions' })).toBeInTheDocument()
    expect(container.querySelector('circle')).not.toBeNull()
    rerender(<Sparkline values={[1, null]} label="Preemptions" />)
    expect(container.querySelector('circle')).toBeNull()
  })
})
