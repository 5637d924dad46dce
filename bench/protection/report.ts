import { markdownTable } from '../page/markdown-table.ts'
import { percentile } from '../percentile.ts'
import type { TimesPerRequest } from './compared-server.ts'
import type { OmittedProtection } from './server-process.ts'

/** The turns of one call: as many with the protection as without it. */
export interface Turns {
  name: string
  with: TimesPerRequest[]
  without: TimesPerRequest[]
}

interface Comparison {
  protection: Exclude<OmittedProtection, 'nothing'>
  calls: { name: string; rateRatio: number; cpuRatio: number; withMs: number; withoutMs: number }[]
}

/** What a run of `npm run bench:protection` found. A ratio is the median of the rounds' ratios, and below 1 if the protection costs something. */
export interface ProtectionFigures {
  rounds: number
  requests: number
  comparisons: readonly Comparison[]
}

const median = (values: readonly number[]) => percentile(values, 50)

/** Takes the medians of the rounds. */
export function summarise(protection: Comparison['protection'], turns: readonly Turns[]): Comparison {
  const calls = turns.map((each) => {
    const ratio = (figure: keyof TimesPerRequest) =>
      median(each.with.map((turn, round) => (each.without[round]?.[figure] ?? Number.NaN) / turn[figure]))
    return {
      name: each.name,
      rateRatio: ratio('elapsedMs'),
      cpuRatio: ratio('cpuMs'),
      withMs: median(each.with.map(({ cpuMs }) => cpuMs)),
      withoutMs: median(each.without.map(({ cpuMs }) => cpuMs)),
    }
  })
  return { protection, calls }
}

const about: Record<Comparison['protection'], { title: string; text: string }> = {
  isolation: {
    title: 'Row-level security',
    text: `The server without this protection runs statements as the owner, with row-level security off. The protection needs no extra round trip: BEGIN, the
setting of the partner and COMMIT travel with each statement ([0010](../decisions/0010-row-level-security.md)). "Get customer" includes its audit entry, which needs a partner.`,
  },
  encryption: {
    title: 'Field encryption',
    text: `The server without this protection stores personal data, health data, documents and responses unencrypted, in Base64. A quote includes its tenants'
names, so reading a quote decrypts them.`,
  },
  audit: {
    title: 'The audit log',
    text: `In the server without the audit log, the triggers that record every change are dropped, and reads are not recorded. The first two reads have no
audit entry. Their rows show how much two servers with the same code differ by chance, and so how precise the figures of this section are. "Get customer" waits
for the commit of its entry, which simultaneous reads share.`,
  },
}

/** The section about what protection costs. */
export function reportProtection({ rounds, requests, comparisons }: ProtectionFigures): string {
  return `Two servers run side by side on one private PostgreSQL, one as shipped and one without the protection. In each of ${rounds} rounds, first one and
then the other gets ${requests} requests over 16 connections. Each round gives a ratio, and this page shows the median: 1 means that the
protection costs nothing, 0.9 that it costs a tenth. Processor time is the total of the server and its database connections. On an otherwise idle
machine, it is this total that limits the throughput.

${comparisons.map(partOf).join('\n\n')}`
}

function partOf({ protection, calls }: Comparison): string {
  const { title, text } = about[protection]
  const rows = calls.map(({ name, rateRatio, cpuRatio, withMs, withoutMs }) => [
    name,
    rateRatio.toFixed(2),
    cpuRatio.toFixed(2),
    `${withMs.toFixed(2)} ms, ${withoutMs.toFixed(2)} ms`,
  ])
  return `### ${title}

${text}

${markdownTable(['', 'requests a second', 'processor time', 'with, without'], rows)}`
}
