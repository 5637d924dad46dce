import { barX, dot, type PlotOptions, plot, ruleX, tickX } from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { type JourneyFigures, maxP99Ms } from '../journeys/report.ts'
import { leastRatios, type RequestFigures } from '../requests/report.ts'

const [blue, orange] = ['#4269d0', '#e8710a']

/** A chart of the ratios of requests to their baselines, as SVG, with the aims. */
export function drawRatios({ scenarios }: RequestFigures): string {
  const bars = scenarios.flatMap(({ name, title, ratios }) =>
    Object.entries(ratios).map(([baseline, ratio]) => ({
      label: `${plain(title)} ÷ ${baseline.startsWith('mock-') ? 'mock' : 'bare'}`,
      color: baseline.startsWith('mock-') ? orange : blue,
      ratio,
      aim: leastRatios[name]?.[baseline],
    })),
  )
  return draw({
    height: 70 + bars.length * 34,
    x: {
      label: 'ratio of requests a second; black line: the least we aim at',
    },
    y: { label: null, domain: bars.map(({ label }) => label) },
    marks: [
      barX(bars, { x: 'ratio', y: 'label', fill: 'color' }),
      tickX(bars, { x: 'aim', y: 'label', stroke: 'black', strokeWidth: 3 }),
      ruleX([0]),
    ],
  })
}

/** A chart of the p50 and p99 of the steps of a journey, as SVG, with the aim. */
export function drawStepTimes({ steps }: JourneyFigures): string {
  return draw({
    height: 70 + steps.length * 34,
    x: {
      label: 'milliseconds at half the highest rate: bar p99, dot p50; the line is the aim',
    },
    y: { label: null, domain: steps.map(({ step }) => step) },
    marks: [
      barX(steps, { x: 'p99Ms', y: 'step', fill: blue }),
      dot(steps, { x: 'p50Ms', y: 'step', fill: 'white', stroke: 'black', r: 5 }),
      ruleX([maxP99Ms], { stroke: orange, strokeWidth: 3 }),
      ruleX([0]),
    ],
  })
}

const plain = (markdown: string) => markdown.replaceAll('`', '')

function draw(options: PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const svg = plot({
    ...options,
    x: { ...options.x, labelAnchor: 'center', labelArrow: 'none', labelOffset: 46, grid: true, zero: true },
    document: document as unknown as NonNullable<PlotOptions['document']>,
    width: 860,
    marginLeft: 290,
    marginRight: 30,
    marginBottom: 55,
    style: { fontSize: '14px', background: 'white', color: 'black' },
  })
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return `${svg.outerHTML}\n`
}
