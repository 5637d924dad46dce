import { beginRun } from './results.ts'
import { compareWithBareUndici } from './upstreams/guarded-path.ts'
import { measureOutage } from './upstreams/outage.ts'
import { reportUpstreams } from './upstreams/report.ts'

/*
 * `npm run bench:upstreams`: measures what the guarded upstream client adds to a call, and how an upstream's outage affects other
 * requests. Loopback only; takes about two minutes.
 */

const run = beginRun('upstreams')
const figures = { guarded: await compareWithBareUndici(), outage: await measureOutage() }
console.log(reportUpstreams(figures))
await run.record(figures)
