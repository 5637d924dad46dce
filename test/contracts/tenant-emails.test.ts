import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readOperator } from '../../src/app/reference-data.ts'
import { kindsThat } from '../../src/contracts/mails/tenant-mail-kinds.ts'
import { tenantMailWords } from '../../src/contracts/mails/tenant-mail-words.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { leavesOf, readEml } from '../support/eml.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { holdJobs } from '../support/scheduled-jobs.ts'
import { movableClock, startTestService } from '../support/service.ts'

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
test.after(() => service.stop())
await holdJobs(service, 'send-tenant-mails', 'queue-tenant-mails', 'end-contracts')
const { trader } = await readOperator(undefined)

/** Every kind that some test here has found in an e-mail. */
const seen = new Set<string>()

/** An e-mail as it is listed, and as its reader sees it once it was sent. */
interface Read {
  kind: string
  outcome: string | null
  to: string
  subject: string
  text: string
  html: string
}

/** The e-mails to a customer of these kinds, in the order in which they were written. */
async function mailsTo(partner: Partner, customerId: string, ...kinds: string[]): Promise<Read[]> {
  const { emails } = succeeded(await partner.get(`/Customers/${customerId}/emails`))
  const wanted = emails.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind)).reverse()
  return Promise.all(
    wanted.map(async ({ emailId, kind, outcome }) => {
      if (outcome !== 'sent') return { kind, outcome, to: '', subject: '', text: '', html: '' }
      const eml = readEml(await readFile(join(service.config.dataDir, 'mails', `${emailId}.eml`), 'latin1'))
      const [plain = assert.fail(), html = assert.fail()] = leavesOf(eml)
      assert.deepEqual([plain.type, html.type], ['text/plain', 'text/html'])
      assert.equal(eml.headers.get('message-id'), `<${emailId}@localhost>`)
      for (const each of [plain.text, html.text]) {
        assert.ok(each.includes(`${service.baseUrl}/my-bills`), 'every e-mail has the permanent address')
        assert.ok(each.includes(trader.phone) && each.includes(trader.email))
        assert.doesNotMatch(each, /undefined|\[object|NaN|null/)
      }
      assert.doesNotMatch(html.text, /<img|<script|<link|@import|url\(|src=/, 'it loads nothing')
      seen.add(kind)
      const { headers } = eml
      return {
        ...{ kind, outcome, to: headers.get('to') ?? '', subject: headers.get('subject') ?? '' },
        ...{ text: plain.text, html: html.text },
      }
    }),
  )
}

/** Checks that the customer was sent exactly one e-mail of the kind, and that both of its forms say this. */
async function sentOnce(partner: Partner, customerId: string, kind: string, says: readonly string[]): Promise<Read> {
  const found = await mailsTo(partner, customerId, kind)
  assert.equal(found.length, 1, `${kind}: ${JSON.stringify(found)}`)
  const [mail = assert.fail()] = found
  assert.equal(mail.outcome, 'sent', kind)
  for (const words of says) {
    assert.ok(`${mail.subject}\n${mail.text}`.includes(words), `${words}\n${mail.subject}\n${mail.text}`)
    for (const part of words.split(': ')) assert.ok(mail.html.includes(part), `${part}\n${mail.html}`)
  }
  return mail
}

async function nameOf(partner: Partner, customerId: string): Promise<string> {
  assert.ok(partner)
  const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [customerId])
  return String(row?.partner_id)
}

test('a tenant with a contract is told of each payment, change and end once, in HTML and text, and who acted', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['support:write', 'support:read'])
  const { lead } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04' })
  await onboard(own, lead)
  const name = await nameOf(own, lead)
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, lead, 'contract_in_force', ['is in force', `Set up through: ${name}`])

  succeeded(await own.patch(`/Customers/${lead}`, { phone: '07700 900456', lastName: 'Morgan-Lee' }))
  succeeded(await own.patch(`/Customers/${lead}`, { phone: '07700 900456' }))
  await advanceClock(own, { seconds: 60 })
  const details = await sentOnce(own, lead, 'details_changed', [
    'your name and your telephone number',
    `Changed by: ${name}`,
  ])
  assert.doesNotMatch(details.text, /900456/, 'it does not say to what')

  succeeded(await operator.patch(`/Customers/${lead}`, { email: 'alex@new.example.com' }))
  await advanceClock(own, { seconds: 60 })
  const [before, after] = await mailsTo(own, lead, 'email_changed')
  assert.ok(before?.to.includes(`${lead}@example.com`))
  assert.match(before?.text ?? '', /the last e-mail about them that we send to this address/)
  assert.match(after?.to ?? '', /alex@new\.example\.com/)
  for (const each of [before, after]) assert.ok(each?.text.includes(`Changed by: ${trader.name}`))

  const { setupIntentId } = succeeded(await own.post(`/Customers/${lead}/create-setup-intent`, { replace: true }))
  const confirm = (paymentMethod: string) =>
    own.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod })
  succeeded(await confirm('pm_card_chargeDeclined'))
  await advanceClock(own, { seconds: 600 })
  assert.equal((await mailsTo(own, lead, 'card_declined')).length, 0, 'another try may follow soon')
  await advanceClock(own, { seconds: 3_600 })
  await sentOnce(own, lead, 'card_declined', [
    'Your card was not accepted',
    `${service.baseUrl}/my-bills/${lead}/links/`,
  ])
  succeeded(await confirm('pm_card_mastercard'))
  await advanceClock(own, { seconds: 60 })
  await advanceClock(own, { seconds: 60 })
  await sentOnce(own, lead, 'card_changed', ['which ends in 4444', `Asked for by: ${name}`])
})

test('the catalogue has words for every kind, and every kind was seen here', () => {
  for (const kind of seen) assert.ok(Object.hasOwn(tenantMailWords, kind), kind)
  assert.deepEqual(kindsThat('isReminder'), ['nudge', 'lock_ending'])
})
