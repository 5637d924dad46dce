import { compareWithBareUndici } from './guarded-path.ts'
import { measureOutage } from './upstream-outage.ts'

/*
 * `npm run bench:upstreams`: measures what the guarded upstream client adds to a call, and how an upstream's outage affects other
 * requests. Loopback only; takes about two minutes.
 */

await compareWithBareUndici()
await measureOutage()
