import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { GoesWithout } from './server-process.ts'
import type { Turn } from './side.ts'

/** One protection: for every call, as many turns with it as without. */
export interface Comparison {
  protection: Exclude<GoesWithout, 'nothing'>
  calls: { name: string; turns: { with: Turn[]; without: Turn[] } }[]
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
    text: `Without it the database has row-level security off, and statements are sent as they are, as the owner. No statement waits for a round trip
more: role and partner travel in front of it, before the same Sync ([0010](../decisions/0010-row-level-security.md)). What is left is
PostgreSQL's own: setting and taking back two settings, and the policy's comparison on every row.`,
  },
  encryption: {
    title: 'Field encryption',
    text: `Without it personal data, health data, documents and stored answers are kept as they are, in Base64. A quote knows its tenants' names, so
reading one decrypts them.`,
  },
  audit: {
    title: 'The audit log',
    text: `Without it the triggers that write every change down are gone. The three reads fire none: what their rows show is how far two servers
of the same code differ by chance, and so how much of every figure on this page to believe.`,
  },
}

/** Writes the figures of a run into docs/benchmarks/protection.md. */
export async function writeReport(figures: Figures): Promise<void> {
  await writeFile(document, page(figures))
}

function page({ comparisons, rounds, requests, load }: Figures): string {
  return `# What protection costs

For an operator and a maintainer: measured, and this page written, with

\`\`\`sh
npm run bench:protection
\`\`\`

The server as it is, and the same server without one of its protections, side by side on one private PostgreSQL, take turns of ${requests}
requests over 16 connections, ${rounds} turns each. Each round is a ratio of its own, and the median of those is given; 1 means that the
protection costs nothing, 0.9 that a tenth is spent on it. Processor time is that of server and database connections together, which is what
a machine that has nothing else to do would be limited by.

The figures are of one run on a machine with ${availableParallelism()} cores (Node ${process.versions.node}), whose load average was
${load.before.toFixed(1)} before it and ${load.after.toFixed(1)} after it, this benchmark's own load included. Take the ratios, not the milliseconds.

${comparisons.map(section).join('\n\n')}
`
}

function section({ protection, calls }: Comparison): string {
  const { title, text } = about[protection]
  const rows = calls.map(({ name, turns }) => {
    const ratio = (of: (turn: Turn) => number) =>
      median(turns.with.map((turn, round) => of(turns.without[round] ?? turn) / of(turn))).toFixed(2)
    const cpu = (each: readonly Turn[]) => `${median(each.map(({ cpuMs }) => cpuMs)).toFixed(2)} ms`
    return `| ${name} | ${ratio(({ elapsedMs }) => elapsedMs)} | ${ratio(({ cpuMs }) => cpuMs)} | ${cpu(turns.with)}, ${cpu(turns.without)} |`
  })
  return `## ${title}

${text}

| | requests a second | processor time | with, without |
|---|---|---|---|
${rows.join('\n')}`
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
