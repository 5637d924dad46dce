import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFullSize } from '../support/campaign-size.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'

const processor = await startServiceWithProcessor()
const { service, notify } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

const repetitions = isFullSize ? 24 : 8

test('accept-terms and the notice complete onboarding with no change or event repeated, whichever comes first', async () => {
  for (let round = 0; round < repetitions; round += 1) {
    const { quoteId, lead } = await startHousehold(partner, { tenants: 1, packages: ['gas'] })
    succeeded(await finalise(partner, lead))
    const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
    const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequiredOnSetup')
    const intent = await processor.authenticate(setupIntentId, 'authenticated')
    // The order of accept-terms and the notice, and the time between them, change from round to round. Each round also
    // has a late and a repeated notice.
    const head = (round % 8) * 2
    const notices = async () => {
      await sleep(round % 2 === 0 ? head : 0)
      await Promise.all([
        notify('setup_intent.succeeded', intent),
        notify('setup_intent.succeeded', intent),
        notify('setup_intent.requires_action', acting, { secondsAgo: 3 }),
      ]).then((answers) => answers.map(succeeded))
    }
    const accept = async () => {
      await sleep(round % 2 === 1 ? head : 0)
      return succeeded(await partner.post(`/Customers/${lead}/accept-terms`)).termsAcceptedAt
    }
    const [, one, other] = await Promise.all([notices(), accept(), accept()])
    assert.equal(one, other)
    const customer = succeeded(await partner.get(`/Customers/${lead}`))
    assert.deepEqual([customer.status, customer.paymentStatus], ['OnboardingComplete', 'ready'])
    assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'completed')
    assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready'])
    const told = await rawRows(
      service,
      `select type, data->>'status' as status from events where quote_id = $1
         and (data->>'status' in ('OnboardingComplete', 'completed')) order by event_number`,
      [quoteId],
    )
    assert.deepEqual(
      told.map(({ status }) => status),
      ['OnboardingComplete', 'completed'],
    )
  }
})
