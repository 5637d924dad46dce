import type { Cost } from './database-meter.ts'

const header = `# What one call of each operation costs the database, in one normal successful case. If you change a number on purpose, rewrite this file with
# "UPDATE=1 node scripts/tests.ts test/cost/operations.test.ts". contributing/testing.md says what is counted.
#
# Rows: +inserted ~updated -deleted.
#
`
const columns = ['operation', 'statements', 'round trips', 'clients', 'WAL records', 'rows written'] as const
const placeOfWal = columns.indexOf('WAL records')

type Line = readonly string[]

/**
 * The file with these costs. A number of WAL records stays as it was in `before` if the new one is within the
 * tolerance.
 */
export function printCosts(costs: ReadonlyMap<string, Cost>, before: string): string {
  const lines = [columns, ...[...costs].map((entry) => keepWalRecords(lineOf(...entry), parseLines(before)))]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  const pad = (text: string, index: number) =>
    index === 0 || index === columns.length - 1 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0)
  return `${header}${lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')}`
}

/** What differs from the file, one line for each operation; empty if nothing does. */
export function compareCosts(costs: ReadonlyMap<string, Cost>, file: string): string[] {
  const expected = parseLines(file)
  const gone = [...expected.keys()].filter((name) => !costs.has(name))
  const changed = [...costs].flatMap(([name, cost]) => {
    const then = expected.get(name)
    if (then === undefined) return [`${name} is missing in the file`]
    const now = keepWalRecords(lineOf(name, cost), expected)
    const differing = columns.flatMap((column, index) =>
      now[index] === then[index]
        ? []
        : [`${column}: ${then[index] || 'none'} in the file, ${now[index] || 'none'} now`],
    )
    return differing.length === 0 ? [] : [`${name}: ${differing.join('; ')}`]
  })
  return [...gone.map((name) => `${name} was not called`), ...changed]
}

function lineOf(name: string, { statements, roundTrips, clients, walRecords, rows }: Cost): Line {
  const written = [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([table, { inserted, updated, deleted }]) => {
      const counts = [`+${inserted}`, `~${updated}`, `-${deleted}`].filter(
        (count) => !count.endsWith('0') || count.length > 2,
      )
      return counts.length === 0 ? [] : [`${table} ${counts.join(' ')}`]
    })
  return [name, `${statements}`, `${roundTrips}`, `${clients}`, `${walRecords}`, written.join(', ')]
}

function keepWalRecords(line: Line, before: ReadonlyMap<string, Line>): Line {
  const known = before.get(line[0] ?? '')?.[placeOfWal]
  return known !== undefined && isWithinTolerance(Number(known), Number(line[placeOfWal]))
    ? line.with(placeOfWal, known)
    : line
}

/** Ten per cent, but at least one record: how full the pages of a table are decides whether a row needs a new one. */
function isWithinTolerance(then: number, now: number): boolean {
  return Number.isNaN(now) || Math.abs(now - then) <= Math.ceil(then / 10)
}

function parseLines(file: string): Map<string, Line> {
  const lines = file.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.slice(1).map((line) => {
      const [name = '', ...rest] = line.split(/ {2,}/)
      return [name, columns.map((_, index) => [name, ...rest][index] ?? '')]
    }),
  )
}
