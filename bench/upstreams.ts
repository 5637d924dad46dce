import { compareWithBareUndici } from './guarded-path.ts'
import { measureOutage } from './upstream-outage.ts'

/*
 * `npm run bench:upstreams`: what the guarded upstream client adds to a call, and how an upstream's outage affects everything else.
 * Loopback only; takes about two minutes.
 */

await compareWithBareUndici()
await measureOutage()
