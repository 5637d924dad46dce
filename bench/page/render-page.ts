import { markdownTable } from './markdown-table.ts'
import { benchmarkNames, type Result, type Results, readResults } from './results-file.ts'
import { type Section, sections } from './sections.ts'

interface Shown {
  section: Section<object>
  result: Result
}

/** The page and its charts, by default from docs/benchmarks/results.json: by path below docs/benchmarks/, the content. */
export function renderBenchmarks(results: Results = readResults()): Map<string, string> {
  const shown = benchmarkNames.flatMap((name): Shown[] => {
    const result = results[name]
    // The results of a benchmark are what its own section reports.
    return result === undefined ? [] : [{ section: sections[name] as Section<object>, result }]
  })
  const charts = shown.flatMap(({ section: { chart }, result }) =>
    chart === undefined ? [] : [[chart.file, chart.draw(result.figures)] as const],
  )
  return new Map([['README.md', pageOf(shown)], ...charts])
}

function pageOf(shown: readonly Shown[]): string {
  return `# Benchmarks

For operators and maintainers. Each command measures, writes its figures to [results.json](results.json) and generates this page from them. All use
loopback only and need nothing but an installed checkout. Compare ratios, not times of different machines: both sides of a ratio were measured in the
same run.

${markdownTable(
  ['benchmark', 'measured on', 'command'],
  shown.map(({ section: { title }, result }) => [
    `[${title}](#${anchorOf(title)})`,
    dateInWords(result.measuredOn),
    `\`${result.command}\``,
  ]),
)}

${shown.map(sectionOf).join('\n\n')}
`
}

function sectionOf({ section, result }: Shown): string {
  const { title, chart, report } = section
  const picture = chart === undefined ? '' : `\n\n![${chart.description}](${chart.file})`
  return `## ${title}\n\n${wordsAboutRun(result)}\n\n${report(result.figures)}${picture}`
}

/** Says when and where the figures were measured. */
function wordsAboutRun({ measuredOn, command, note, machine }: Result): string {
  const { cores, processor, memoryGiB, node, postgres, loadBefore, loadAfter } = machine
  const hardware = [`${cores} cores`, processor, memoryGiB === null ? null : `${memoryGiB} GiB`].filter(
    (each) => each !== null,
  )
  const software = [`Node ${node}`, postgres === null ? null : `PostgreSQL ${postgres}`].filter((each) => each !== null)
  const load =
    loadBefore === null || loadAfter === null
      ? 'The load average was not noted.'
      : `The load average was ${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after the run.`
  const warning =
    loadBefore !== null && loadBefore > cores / 2
      ? [
          '**The machine was busy with other work**, so repeat the benchmark on a quiet one before you rely on these figures.',
        ]
      : []
  const run = `\`${command}\` on ${dateInWords(measuredOn)}: ${hardware.join(', ')}; ${software.join(', ')}.`
  return [run, load, ...warning, ...(note === undefined ? [] : [note])].join('\n')
}

const dateInWords = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
