import { after, describe, test } from 'node:test'
import { addressSupplierNames } from '../../src/platform/config/address-source.ts'
import { type Failure, failures, moreFailures } from '../platform/outbound/failure-scripts.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { checkOutage, outageLimits, type UpstreamUnderTest, watchBreakers } from './outage.ts'
import { startServiceWithUpstreams } from './service-with-upstreams.ts'

/*
 * Tests what partners see, across the whole service, when any upstream fails in any way. `checkOutage` describes the
 * checks for each case.
 */

const breakers = watchBreakers()
const limits = holdTimeouts((ms) => ms === outageLimits.attemptMs || ms === outageLimits.deadlineMs)

for (const source of addressSupplierNames) {
  const { upstreams, callers, neighbour, stop } = await startServiceWithUpstreams(source, breakers.log)
  after(stop)

  describe(`upstream failures when ${source} supplies the addresses`, () => {
    // The other upstreams do not depend on the address supplier.
    const proven =
      source === addressSupplierNames[0] ? upstreams : upstreams.filter(({ probe }) => probe.name === source)

    for (const failing of proven) {
      describe(`${failing.probe.name} fails with`, () => {
        for (const failure of failuresOf(failing)) {
          test(`${failure.name}: responses are correct, nothing is half-done, the breaker opens and closes, other upstreams are unaffected`, () =>
            checkOutage({
              failing,
              others: upstreams.filter((each) => each !== failing),
              failure,
              callers,
              neighbour,
              breakers,
              limits,
            }))
        }
      })
    }
  })
}

function failuresOf({ probe }: UpstreamUnderTest): readonly Failure[] {
  return probe.name === 'home-telecom' ? [...failures, ...moreFailures] : failures
}
