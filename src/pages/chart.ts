import { type Html, html } from './html.ts'

/** How much of a chart's height is free above and below the bars, and of its width beside them, for words. */
const percentForLabels = 12

/** How many bars have their names below them, in two rows for phones; of more, only the first and the last do. */
const mostNamed = 6

/**
 * Bars as an image, for whole figures from zero up: what each is called, and how much it is. Its sizes are shares of the
 * place it has, so its words stay as large as others on a phone. Whoever cannot see it reads `summary`; the same figures
 * belong in a table beside it.
 */
export function barChart(summary: string, bars: readonly { label: string; value: number }[]): Html {
  const { top, step } = scaleOf(Math.max(1, ...bars.map(({ value }) => value)))
  const heightOf = (value: number) => (value / top) * (100 - 2 * percentForLabels)
  const yOf = (value: number) => 100 - percentForLabels - heightOf(value)
  const left = percentForLabels
  const width = (100 - left) / bars.length
  const lines = Array.from({ length: top / step + 1 }, (_, index) => index * step).map(
    (value) =>
      html`<line x1="${left}%" x2="100%" y1="${yOf(value)}%" y2="${yOf(value)}%"/><text x="0" y="${yOf(value) + 1}%">${value.toLocaleString('en-GB')}</text>`,
  )
  const shown = bars.map(
    ({ label, value }, index) =>
      html`<rect x="${left + (index + 0.15) * width}%" width="${0.7 * width}%" y="${yOf(value)}%" height="${heightOf(value)}%"><title>${label}: ${value.toLocaleString('en-GB')}</title></rect>`,
  )
  const few = bars.map(
    ({ label }, index) =>
      html`<text x="${left + (index + 0.5) * width}%" y="${index % 2 === 0 ? 92.5 : 98}%" text-anchor="middle">${label}</text>`,
  )
  const ends = html`<text x="${left}%" y="98%">${bars.at(0)?.label}</text><text x="100%" y="98%" text-anchor="end">${bars.at(-1)?.label}</text>`
  return html`<svg class="chart" role="img" aria-label="${summary}">${lines}${shown}${bars.length <= mostNamed ? few : ends}</svg>`
}

/** Where a scale from zero ends that has room for `most`, in at most five round and whole steps. */
function scaleOf(most: number): { top: number; step: number } {
  const magnitude = 10 ** Math.max(0, Math.floor(Math.log10(most / 5)))
  const step = [1, 2, 5, 10].map((round) => round * magnitude).find((each) => most / each <= 5) ?? most
  return { top: Math.ceil(most / step) * step, step }
}
