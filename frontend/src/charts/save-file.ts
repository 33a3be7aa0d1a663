/** Hands a file made in the page to the browser's downloads. */
export function saveFile(content: Blob, filename: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = filename
  link.click()
  URL.revokeObjectURL(address)
}

export function saveCanvas(canvas: HTMLCanvasElement, filename: string): void {
  canvas.toBlob((content) => {
    if (content) saveFile(content, filename)
  }, 'image/png')
}
