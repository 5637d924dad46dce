import { markdownTable } from '../page/markdown-table.ts'
import { formatMilliseconds } from '../percentile.ts'

/** Calls with bare undici and with the guarded client, in milliseconds. */
export interface GuardedPath {
  rounds: number
  callsEach: number
  bare: { p50Ms: number; p99Ms: number }
  guarded: { p50Ms: number; p99Ms: number }
}

/** Requests before and during an outage. */
export interface Outage {
  requestsPerSecond: number
  seconds: number
  phases: readonly { name: string; requests: number; errors: number; p50Ms: number; p99Ms: number }[]
  /** The p99 of requests that call no upstream, during the outage, compared with before. */
  p99Ratio: number
  completeAfterSeconds: number
}

/** What a run of `npm run bench:upstreams` found. */
export interface UpstreamFigures {
  guarded: GuardedPath
  outage: Outage
}

/** The section about upstreams. */
export function reportUpstreams({ guarded: path, outage }: UpstreamFigures): string {
  const { bare, guarded } = path
  const count = (value: number) => value.toLocaleString('en-GB')
  return `### The guarded client compared with bare undici

Each client sends one small GET at a time to a server on loopback, in ${path.rounds} alternating rounds of ${count(path.callsEach)} calls each, after a warm-up round. Both read and
parse the body. The guarded client (\`src/adapters/outbound-http/\`) also retries, has a circuit breaker, limits the time, size and concurrency of
calls, and checks every response against its schema.

${markdownTable(
  ['', 'p50', 'p99'],
  [
    ['bare undici', formatMilliseconds(bare.p50Ms), formatMilliseconds(bare.p99Ms)],
    ['`outbound-http`', formatMilliseconds(guarded.p50Ms), formatMilliseconds(guarded.p99Ms)],
    ['added', formatMilliseconds(guarded.p50Ms - bare.p50Ms), formatMilliseconds(guarded.p99Ms - bare.p99Ms)],
    ['ratio', (guarded.p50Ms / bare.p50Ms).toFixed(2), (guarded.p99Ms / bare.p99Ms).toFixed(2)],
  ],
)}

### An outage of an upstream

The service gets a steady ${outage.requestsPerSecond} requests a second, for ${outage.seconds} s at a time. Nine in ten call no upstream (lookup, quote, total cost, create quote); the
others check properties without stored results. First the upstreams are healthy; then the home telecom provider accepts every request and never
responds, which is the most expensive kind of outage for callers.

${markdownTable(
  ['', 'requests', 'errors', 'p50', 'p99'],
  outage.phases.map(({ name, requests, errors, p50Ms, p99Ms }) => [
    name,
    count(requests),
    String(errors),
    `${p50Ms.toFixed(1)} ms`,
    `${p99Ms.toFixed(1)} ms`,
  ]),
)}

- The p99 of requests that call no upstream is ${outage.p99Ratio.toFixed(2)} times as high during the outage as before.
- A check during the outage returns what the broadband database knows, with \`homeTelecomError: true\`. By design, the only slow checks are those
  made before the circuit breaker opened and those that serve as its probes.
- The first complete check came ${outage.completeAfterSeconds.toFixed(1)} s after the provider recovered. An open breaker waits about 5 s at most before its next probe.`
}
