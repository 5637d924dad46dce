import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { TimesPerRequest } from './compared-server.ts'
import type { OmittedProtection } from './server-process.ts'

/** The results for one protection. Each call has the same number of rounds with the protection as without it. */
export interface Comparison {
  protection: Exclude<OmittedProtection, 'nothing'>
  calls: { name: string; turns: { with: TimesPerRequest[]; without: TimesPerRequest[] } }[]
}

interface Figures {
  comparisons: readonly Comparison[]
  rounds: number
  requests: number
  load: { before: number; after: number }
}

const document = new URL('../../docs/benchmarks/protection.md', import.meta.url)

const about: Record<Comparison['protection'], { title: string; text: string }> = {
  isolation: {
    title: 'Row-level security',
    text: `The server without this protection runs statements as the owner, with row-level security off. The protection needs no extra round trip: the signed
proof of the partner is sent ahead of each statement, before the same Sync ([0010](../decisions/0010-row-level-security.md)). The remaining cost is in PostgreSQL: setting the proof, verifying
its signature once for each table and statement, and the policy's comparison on every row. "Get customer" includes its audit entry, which needs a proof.`,
  },
  encryption: {
    title: 'Field encryption',
    text: `The server without this protection stores personal data, health data, documents and responses unencrypted, in Base64. A quote includes its tenants'
names, so reading a quote decrypts them.`,
  },
  audit: {
    title: 'The audit log',
    text: `In the server without the audit log, the triggers that record every change are dropped, and reads are not recorded. The first two reads have no
audit entry. Their rows show how much two servers with the same code differ by chance, and so how precise the figures on this page are. "Get customer" waits
for the commit of its entry, which simultaneous reads share.`,
  },
}

/** Writes the figures of a run into docs/benchmarks/protection.md. */
export async function writeReport(figures: Figures): Promise<void> {
  await writeFile(document, page(figures))
}

function page({ comparisons, rounds, requests, load }: Figures): string {
  return `# What protection costs

For operators and maintainers. This command runs the benchmark and writes its results to this page:

\`\`\`sh
npm run bench:protection
\`\`\`

Two servers run side by side on one private PostgreSQL, one as shipped and one without the protection. In each of ${rounds} rounds, first one and
then the other gets ${requests} requests over 16 connections. Each round gives a ratio, and this page shows the median: 1 means that the
protection costs nothing, 0.9 that it costs a tenth. Processor time is the total of the server and its database connections. On an otherwise idle
machine, it is this total that limits the throughput.

The figures are from one run on a machine with ${availableParallelism()} cores (Node ${process.versions.node}), whose load average was
${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after, including the load of the benchmark itself. Compare the ratios, not the
milliseconds.

${comparisons.map(section).join('\n\n')}
`
}

function section({ protection, calls }: Comparison): string {
  const { title, text } = about[protection]
  const rows = calls.map(({ name, turns }) => {
    const ratio = (of: (turn: TimesPerRequest) => number) =>
      median(turns.with.map((turn, round) => of(turns.without[round] ?? turn) / of(turn))).toFixed(2)
    const cpu = (each: readonly TimesPerRequest[]) => `${median(each.map(({ cpuMs }) => cpuMs)).toFixed(2)} ms`
    return `| ${name} | ${ratio(({ elapsedMs }) => elapsedMs)} | ${ratio(({ cpuMs }) => cpuMs)} | ${cpu(turns.with)}, ${cpu(turns.without)} |`
  })
  return `## ${title}

${text}

| | requests a second | CPU time | with, without |
|---|---|---|---|
${rows.join('\n')}`
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
