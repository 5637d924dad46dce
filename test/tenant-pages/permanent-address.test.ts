import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { words } from '../../src/tenant-pages/words.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { leavesOf, readEml } from '../support/eml.ts'
import { startHousehold } from '../support/household.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { headingOf, TenantBrowser } from './tenant-browser.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** The ids of the e-mails of a kind that a tenant was sent, once there are so many. */
async function mailsOf(tenant: string, kind: string, count: number): Promise<string[]> {
  const read = () =>
    rawRows(
      service,
      `select mail_id from tenant_mails where customer_id = $1 and kind = $2 and outcome = 'sent' order by created_at`,
      [tenant, kind],
    )
  await waitFor(`${count} e-mails of the kind ${kind}`, async () => (await read()).length === count)
  return (await read()).map(({ mail_id }) => String(mail_id))
}

/** The path of the first link in an e-mail that contains this. */
async function linkIn(mailId: string, part: string): Promise<string> {
  const eml = readEml(await readFile(join(service.config.dataDir, 'mails', `${mailId}.eml`), 'latin1'))
  const [plain] = leavesOf(eml)
  const [url] = new RegExp(`https?://\\S*${part}\\S*`).exec(plain?.text ?? '') ?? []
  assert.ok(url, `the e-mail has no link with ${part}`)
  return new URL(url).pathname
}

const ask = async (email: string) => {
  const browser = new TenantBrowser(service.baseUrl)
  await browser.open('/my-bills')
  return browser.send(words.newLink.button, { email })
}

test('the permanent address sends a fresh link to the stored address, and responds the same to any other', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const { email } = succeeded(await partner.get(`/Customers/${tenant}`)).personalDetails
  const known = await ask(email.toUpperCase())
  const unknown = await ask('nobody@tenants.example')
  assert.equal(headingOf(known), words.newLink.sentTitle)
  assert.equal(known.text, unknown.text)
  assert.equal((await ask('no address')).status, 422)
  const [mailId = ''] = await mailsOf(tenant, 'fresh_link', 1)
  const browser = new TenantBrowser(service.baseUrl)
  assert.equal((await browser.open(await linkIn(mailId, '/links/'))).status, 200)
})

test('a fresh link is sent once an hour; the link in use goes on working until the fresh one is opened', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const { email } = succeeded(await partner.get(`/Customers/${tenant}`)).personalDetails
  const inUse = new TenantBrowser(service.baseUrl)
  const used = new URL(succeeded(await partner.post(`/Customers/${tenant}/onboarding-links`)).url).pathname
  await inUse.open(used)
  await inUse.send(words.link.button)
  await Promise.all([ask(email), ask(email)])
  const [mailId = ''] = await mailsOf(tenant, 'fresh_link', 1)
  await ask(email)
  await advanceClock(partner, { seconds: 3_700 })
  await ask(email)
  await mailsOf(tenant, 'fresh_link', 2)

  assert.equal((await inUse.open(`/my-bills/${tenant}/welcome`)).status, 200)
  const fresh = new TenantBrowser(service.baseUrl)
  await fresh.open(await linkIn(mailId, '/links/'))
  assert.equal((await inUse.open(`/my-bills/${tenant}/welcome`)).status, 200)
  assert.equal((await fresh.send(words.link.button)).status, 200)
  assert.equal((await inUse.open(`/my-bills/${tenant}/welcome`)).status, 403)
  assert.equal((await inUse.open(used)).status, 403)
  assert.equal((await fresh.open(`/my-bills/${tenant}/welcome`)).status, 200)
})

test('only a link that reached the present address and still works keeps a tenant from a fresh one', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const { email } = succeeded(await partner.get(`/Customers/${tenant}`)).personalDetails
  await ask(email)
  const [rejected = ''] = await mailsOf(tenant, 'fresh_link', 1)
  await rawRows(service, `update tenant_mails set outcome = 'given_up' where mail_id = $1`, [rejected])
  await ask(email)
  await mailsOf(tenant, 'fresh_link', 1)
  await rawRows(service, `update tenant_mails set outcome = 'sent' where mail_id = $1`, [rejected])
  succeeded(await partner.patch(`/Customers/${tenant}`, { email: `other.${email}` }))
  await ask(`other.${email}`)
  await mailsOf(tenant, 'fresh_link', 3)
  succeeded(await partner.post(`/Customers/${tenant}/onboarding-links/revoke`))
  await ask(`other.${email}`)
  const last = (await mailsOf(tenant, 'fresh_link', 4)).at(-1) ?? ''
  assert.equal((await new TenantBrowser(service.baseUrl).open(await linkIn(last, '/links/'))).status, 200)
})

test('the reader of an e-mail says that they are not who was meant, and can take it back; opening the link changes nothing', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const { email } = succeeded(await partner.get(`/Customers/${tenant}`)).personalDetails
  await ask(email)
  const [mailId = ''] = await mailsOf(tenant, 'fresh_link', 1)
  const path = await linkIn(mailId, '/not-me/')
  const refusals = () => rawRows(service, 'select * from tenant_mail_refusals')
  const browser = new TenantBrowser(service.baseUrl)
  assert.equal(headingOf(await browser.open(path)), words.notMe.title)
  assert.equal((await refusals()).length, 0)
  assert.equal(headingOf(await browser.send(words.notMe.refuse)), words.notMe.refusedTitle)
  assert.equal((await refusals()).length, 1)
  assert.equal(headingOf(await browser.send(words.notMe.allow)), words.notMe.title)
  assert.equal((await refusals()).length, 0)
  assert.equal((await browser.open(`${path}x`)).status, 403)
})

test('an hour gives five links for one e-mail address to a network, which others in it do not use up', async () => {
  const limited = await startTestService({ RATE_LIMIT_PER_SECOND: '1000' })
  try {
    const browser = new TenantBrowser(limited.baseUrl)
    const askFor = (email: string) => browser.post('/my-bills', { email })
    for (let sent = 0; sent < 5; sent += 1) assert.equal((await askFor('nobody@tenants.example')).status, 200)
    const over = await askFor('Nobody@tenants.example')
    assert.equal(over.status, 429)
    assert.match(over.text, /Try again in (59|60) minutes/)
    assert.equal((await askFor('somebody@tenants.example')).status, 200)
  } finally {
    await limited.stop()
  }
})
