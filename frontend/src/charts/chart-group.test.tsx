import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ChartGroup } from './chart-group'

const onZoom = vi.fn()
const onZoomOut = vi.fn()
const buckets = {
  starts: Array.from({ length: 60 }, (_, index) => 1_790_000_000 + index * 10),
  stepSeconds: 10,
}
const domain = { from: 1_790_000_000_000, to: 1_790_000_600_000 }

/** 600 px of plot for 600 s: one pixel is one second. */
const inset = { left: 50, right: 10 }
const WIDTH_PX = 660

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom lays nothing out, and knows no capture.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, WIDTH_PX, 100))
  Element.prototype.setPointerCapture = () => undefined
  render(
    <ChartGroup
      buckets={buckets}
      domain={domain}
      inset={inset}
      zone="utc"
      rowsAt={(index) => [{ name: 'P99', value: `${index} ms`, mark: { shape: 'line', colour: 'victim' } }]}
      onZoom={onZoom}
      onZoomOut={onZoomOut}
    >
      <p>Head</p>
      <div data-plot data-testid="plot" />
    </ChartGroup>,
  )
})

const plot = () => screen.getByTestId('plot')
const tooltip = () => screen.queryByRole('status', { name: 'Values at the crosshair' })

describe('the crosshair of a group', () => {
  it('shows the window under the pointer and its values', () => {
    fireEvent.pointerMove(plot(), { clientX: 50 + 237 })
    expect(tooltip()).toHaveTextContent('14:17:10 10 s windowP9923 ms')
    expect(plot().parentElement).toHaveStyle({ '--crosshair': `${50 + 235}px` })
  })

  it('follows over gaps as well as over points, and leaves with the pointer', () => {
    fireEvent.pointerMove(plot(), { clientX: 50 + 599 })
    expect(tooltip()).toHaveTextContent('59 ms')
    fireEvent.pointerLeave(plot().parentElement as Element)
    expect(tooltip()).toBeNull()
  })

  it('is absent beside the plot and over a head', () => {
    fireEvent.pointerMove(plot(), { clientX: 20 })
    expect(tooltip()).toBeNull()
    fireEvent.pointerMove(screen.getByText('Head'), { clientX: 300 })
    expect(tooltip()).toBeNull()
  })
})

describe('zooming', () => {
  it('takes a drag along the time axis, in whole seconds', () => {
    fireEvent.pointerDown(plot(), { clientX: 150, button: 0 })
    fireEvent.pointerMove(plot(), { clientX: 350 })
    expect(plot().parentElement).toHaveAttribute('data-brushing')
    expect(tooltip()).toBeNull()
    fireEvent.pointerUp(plot(), { clientX: 350 })
    expect(onZoom).toHaveBeenCalledExactlyOnceWith({ from: 1_790_000_100_000, to: 1_790_000_300_000 })
    expect(plot().parentElement).not.toHaveAttribute('data-brushing')
  })

  it('takes no click and no finger for a drag', () => {
    fireEvent.pointerDown(plot(), { clientX: 150, button: 0 })
    fireEvent.pointerMove(plot(), { clientX: 152 })
    fireEvent.pointerUp(plot(), { clientX: 152 })
    fireEvent.pointerDown(plot(), { clientX: 150, button: 0, pointerType: 'touch' })
    fireEvent.pointerMove(plot(), { clientX: 350, pointerType: 'touch' })
    fireEvent.pointerUp(plot(), { clientX: 350 })
    expect(onZoom).not.toHaveBeenCalled()
  })

  it('goes out by a double click on a plot and by Ctrl+Z', async () => {
    fireEvent.doubleClick(plot(), { clientX: 300 })
    fireEvent.doubleClick(screen.getByText('Head'), { clientX: 300 })
    await userEvent.keyboard('{Control>}z{/Control}')
    expect(onZoomOut).toHaveBeenCalledTimes(2)
  })
})
