import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { defaultLimits } from '../../src/platform/outbound/guard.ts'
import { json, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const held: (() => void)[] = []
const telecom = await startScriptedServer((request, response) => {
  held.push(() => json('{"products":[]}')(request, response))
})
const database = await startScriptedServer(json('{"available":true,"maxDownloadMbps":80}'))
const service = await startTestService({
  HOME_TELECOM_URL: telecom.baseUrl,
  BROADBAND_DATABASE_URL: database.baseUrl,
  BROADBAND_CHECK_LIMIT_PER_MINUTE: '1000',
})
after(async () => {
  await service.stop()
  await Promise.all([telecom.close(), database.close()])
})

async function callsInFlight(): Promise<number> {
  const page = await (await fetch(`${service.baseUrl}/metrics`)).text()
  return Number(/^housebill_upstream_in_flight\{upstream="home-telecom"\} (\d+)$/m.exec(page)?.[1])
}

test('a partner whose checks fill every slot of an upstream and wait for more does not hold up another partner', async () => {
  const [busy, other] = [await connectPartner(service.baseUrl, service.credentials), await connectNewPartner(service)]
  const check = (partner: Partner, { addressUid }: { addressUid: string }) =>
    partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`)
  const { concurrency } = defaultLimits
  const many = Array.from({ length: concurrency + 20 }, (_, index) => check(busy, ordinaryProperty(index)))
  await waitFor('all of them are running or waiting', async () => (await callsInFlight()) === many.length)
  const single = ordinaryProperty(many.length)
  const one = check(other, single)
  await waitFor('the other waits too', async () => (await callsInFlight()) === many.length + 1)

  // The next turn is the busy partner's, and the one after it the other's.
  for (const respond of held.splice(0, 2)) respond()
  await waitFor('two more have been sent', () => telecom.requests.length === concurrency + 2)
  const received = telecom.requests.map(({ url = '' }) => url).filter((url) => url.includes(`uprn=${single.uprn}&`))
  assert.equal(received.length, 1)
  const serve = setInterval(() => held.splice(0).map((respond) => respond()), 1)
  succeeded(await one)
  for (const response of await Promise.all(many)) succeeded(response)
  clearInterval(serve)
})
