import { after, describe, test } from 'node:test'
import { type Failure, failures, furtherFailures } from '../adapters/failure-scripts.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { outageLimits, proveOutage, type UpstreamUnderTest, watchBreakers } from './outage.ts'
import { startSurroundedService } from './surrounded-service.ts'

/*
 * What partners see of every way in which each upstream can fail, over the whole service. What each case proves: `proveOutage`.
 */

const breakers = watchBreakers()
const limits = holdTimeouts((ms) => ms === outageLimits.attemptMs || ms === outageLimits.deadlineMs)

for (const source of ['os-places', 'ideal-postcodes'] as const) {
  const { upstreams, askers, neighbour, stop } = await startSurroundedService(source, breakers.log)
  after(stop)

  describe(`with ${source} and everything else outside`, () => {
    // The other upstreams do not change with the supplier.
    const proven = source === 'os-places' ? upstreams : upstreams.filter(({ seen }) => seen.name === source)

    for (const failing of proven) {
      describe(`${failing.seen.name} fails with`, () => {
        for (const failure of failuresOf(failing)) {
          test(`${failure.name}: right answers, nothing half-done, the breaker opens and closes, others unaffected`, () =>
            proveOutage({
              failing,
              others: upstreams.filter((each) => each !== failing),
              failure,
              askers,
              neighbour,
              breakers,
              limits,
            }))
        }
      })
    }
  })
}

function failuresOf({ seen }: UpstreamUnderTest): readonly Failure[] {
  return seen.name === 'home-telecom' ? [...failures, ...furtherFailures] : failures
}
