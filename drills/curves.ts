/** One measure over the time of a drill. */
export interface Curve {
  name: string
  unit: string
  values: readonly number[]
}

/**
 * The straight line with the least squares through the last two thirds of the values: their mean, and how far the
 * line rises.
 */
export function riseAtTheEnd(values: readonly number[]): { level: number; rise: number } {
  const last = values.slice(Math.floor(values.length / 3))
  const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length
  const middle = (last.length - 1) / 2
  const level = mean(last)
  const spread = last.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  const slope =
    spread === 0 ? 0 : last.reduce((sum, each, index) => sum + (index - middle) * (each - level), 0) / spread
  return { level, rise: slope * (last.length - 1) }
}

const [width, height, gap, columns] = [340, 90, 44, 2] as const
const mostPoints = 120

/** The curves as an SVG picture, each from 0. A line shows where the last two thirds begin. */
export function curvesPicture(time: string, curves: readonly Curve[]): string {
  const rows = Math.ceil(curves.length / columns)
  const size = { width: columns * (width + gap), height: rows * (height + gap) + gap / 2 }
  const panels = curves.map((curve, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)]
    return `<g transform="translate(${column * (width + gap) + gap / 2} ${row * (height + gap) + gap})">${panel(curve)}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">
<title>${curves.length} curves over ${time}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${size.width - gap / 2}" y="16" text-anchor="end" fill="#555">${time}</text>
${panels.join('\n')}
</svg>
`
}

function panel({ name, unit, values }: Curve): string {
  const every = Math.max(1, Math.ceil(values.length / mostPoints))
  const top = Math.max(...values, 1) * 1.1
  const points = values.flatMap((_, index) => {
    if (index % every !== 0) return []
    const part = values.slice(index, index + every)
    const value = part.reduce((sum, each) => sum + each, 0) / part.length
    return `${((index / Math.max(1, values.length - 1)) * width).toFixed(0)},${(height - (value / top) * height).toFixed(1)}`
  })
  const shown = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0)).join(' to ')
  const third = (width / 3).toFixed(0)
  return `<text y="-6">${name}: ${shown} ${unit}</text>
<path d="M0 0V${height}H${width}" fill="none" stroke="#999"/><path d="M${third} 0V${height}" stroke="#ccc" stroke-dasharray="3"/>
<polyline points="${points.join(' ')}" fill="none" stroke="#0b5cad" stroke-width="1.5"/>`
}
