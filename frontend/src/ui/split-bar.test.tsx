import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { SplitBar, type SplitPart } from './split-bar'

const parts = (ran: number, waited: number): SplitPart[] => [
  { part: 'ran', name: 'Ran', value: ran, text: `${ran}` },
  { part: 'victim', name: 'Waited', value: waited, text: `${waited}` },
]

it('fills its width however small the sum is', () => {
  render(<SplitBar label="Demand" parts={parts(0.02, 0.06)} />)
  const bar = screen.getByRole('img', { name: 'Demand: Ran 0.02, Waited 0.06' })
  const grow = [...bar.children].map((part) => Number((part as HTMLElement).style.flexGrow))
  expect(grow).toEqual([25, 75])
})

it('leaves out what is zero and draws nothing as nothing', () => {
  const { container, rerender } = render(<SplitBar label="Demand" parts={parts(4, 0)} />)
  expect(container.querySelectorAll('.victim')).toHaveLength(0)
  rerender(<SplitBar label="Demand" parts={[]} />)
  expect(container.querySelector('.empty')).not.toBeNull()
})
