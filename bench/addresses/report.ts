import { formatMilliseconds } from '../percentile.ts'
import type { Times } from './lookups.ts'

/** What was measured. Times are in seconds, sizes in bytes. */
export interface Measured {
  count: number
  generated: number
  bare: readonly number[]
  imported: readonly number[]
  /** Importing the same file again; undefined if it was not measured. */
  importedAgain?: number | undefined
  /** Lookups with `count` properties and with 30,000. */
  lookups: Times
  fewLookups: Times
  /** The slowest lookup while the import ran, in milliseconds, and how many there were. */
  slowestDuringImport: number
  lookupsDuringImport: number
  tableBytes: number
  indexBytes: number
  fileBytes: number
}

/** The section of the page about this benchmark. */
export function reportAddresses(measured: Measured): string {
  const { count, generated, lookups, fewLookups, tableBytes, indexBytes, fileBytes } = measured
  const rate = (seconds: number) => Math.round(count / seconds).toLocaleString('en-GB')
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`
  const [bare, imported] = [median(measured.bare), median(measured.imported)]
  const again =
    measured.importedAgain === undefined
      ? []
      : [`| import the same file again | ${measured.importedAgain.toFixed(1)} s | ${rate(measured.importedAgain)} |`]
  return `The benchmark generates ${count.toLocaleString('en-GB')} properties (\`COUNT=${count}\`), imports the file with \`housebill addresses import\`, and
looks up postcodes over HTTP. Every row of the import is validated.

| | Time | Properties per second |
|---|---|---|
| \`addresses generate\` | ${generated.toFixed(1)} s | ${rate(generated)} |
| \`addresses import\` | ${imported.toFixed(1)} s | ${rate(imported)} |
| bare COPY of the same rows | ${bare.toFixed(1)} s | ${rate(bare)} |
${again.map((line) => `${line}\n`).join('')}
The bare COPY sends rows that are ready to be stored to an empty table with the same constraints and indexes, on the same server. The import
reaches **${(bare / imported).toFixed(2)}** of its rate; the aim is at least 0.50. ${rounds(measured)}

While the import ran, ${measured.lookupsDuringImport.toLocaleString('en-GB')} lookups were sent, twenty a second. All succeeded; the slowest
took ${formatMilliseconds(measured.slowestDuringImport)}, while both processor cores were busy with the import.

| Lookup by postcode | p50 | p99 |
|---|---|---|
| with ${count.toLocaleString('en-GB')} properties | ${formatMilliseconds(lookups.p50)} | ${formatMilliseconds(lookups.p99)} |
| with 30,000 properties | ${formatMilliseconds(fewLookups.p50)} | ${formatMilliseconds(fewLookups.p99)} |

The ratio of the p99 is **${(lookups.p99 / fewLookups.p99).toFixed(2)}**; the aim is at most 1.30. Four lookups at a time, of 1,500 postcodes chosen
at random, by turns with the two services.

On disk, the table takes ${gigabytes(tableBytes)} and its three indexes ${gigabytes(indexBytes)}: ${Math.round((tableBytes + indexBytes) / count)} bytes
per property. The file has ${gigabytes(fileBytes)}. During an import, the database holds two such tables.
`
}

function rounds({ imported }: Measured): string {
  return imported.length === 1 ? 'Both were measured once.' : `Medians of ${imported.length} rounds, by turns.`
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
