import { compareWithBareUndici } from './guarded-path.ts'
import { measureOutage } from './upstream-outage.ts'

/*
 * `npm run bench:upstreams`: what the guarded way out adds to a call, and what an upstream's outage does to everything else.
 * Loopback only; about two minutes; stops by itself.
 */

await compareWithBareUndici()
await measureOutage()
