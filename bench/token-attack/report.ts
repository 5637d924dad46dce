import { markdownTable } from '../page/markdown-table.ts'
import { percentile } from '../percentile.ts'
import type { LoadResult } from '../steady-load.ts'

interface Waits {
  responses: number
  errors: number
  p50Ms: number
  longestMs: number
}

/** What a run of `npm run bench:token-attack` found. */
export interface TokenAttackFigures {
  seconds: number
  attackPerSecond: number
  quiet: Waits
  attacked: Waits
  wrongSecrets: Waits
}

/** The aim for the median wait of a known client, in milliseconds. */
const atMostMs = 1_000

/** Takes the percentiles of one kind of call. */
export function summarise({ times, errors }: LoadResult = { times: [], errors: 0 }): Waits {
  return { responses: times.length, errors, p50Ms: percentile(times, 50), longestMs: percentile(times, 100) }
}

/** The section about an attack on tokens. */
export function reportTokenAttack({
  seconds,
  attackPerSecond,
  quiet,
  attacked,
  wrongSecrets,
}: TokenAttackFigures): string {
  const row = (who: string, { responses, errors, p50Ms, longestMs }: Waits) => [
    who,
    String(responses),
    String(errors),
    `${p50Ms.toFixed(0)} ms`,
    `${longestMs.toFixed(0)} ms`,
  ]
  return `How long a known client waits for a token while a stranger sends ${attackPerSecond} wrong secrets a second from all over an IPv6 /48, for ${seconds} s. The aim is a median of at
most a second: ${attacked.p50Ms <= atMostMs ? 'met' : 'missed'}. It is ${(attacked.p50Ms / quiet.p50Ms).toFixed(2)} times the median without the attack.

${markdownTable(
  ['', 'responses', 'errors', 'p50', 'longest'],
  [
    row('a known client, without the attack', quiet),
    row('a known client, during the attack', attacked),
    row('the stranger', wrongSecrets),
  ],
)}`
}
