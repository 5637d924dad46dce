import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { EndedContractObject } from '../../src/contracts/ended-contract.schema.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'
import { AuditEntries } from './command-output.ts'

const service = await startTestService()
after(() => service.stop())
const run = (...args: string[]) => housebill(args, service.environment)

test('the operator serves a customer of a disabled partner from the command line, and the audit log names each command', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 2 })
  for (const tenant of tenants) await onboard(partner, tenant)
  const [first = '', second = ''] = tenants
  const rows = await rawRows(
    service,
    `select partner_id as "partnerId", effective_at::date::text as today,
     (effective_at + interval '200 days')::date::text as later
       from contracts where quote_id = $1`,
    [quoteId],
  )
  const { partnerId, today, later } = rows[0] as { partnerId: string; today: string; later: string }
  const disabled = await run('partner', 'disable', partnerId)
  assertSucceeded(disabled)
  assert.match(disabled.stdout, /\nIts contracts in force \(2\) go on, and so do their payments\./)

  const corrected = await run('customers', 'correct', first, '--phone', '07700 900777')
  assertSucceeded(corrected)
  assert.match(corrected.stdout, /\+447700900777/)
  const dry = await run('customers', 'end', first, '--end-date', later, '--dry-run')
  assertSucceeded(dry)
  assert.match(dry.stdout, /^This was a dry run.*\nThe contract .* is in_force, with the last day .*\nOwed in total: £/)
  const joiner = ['--name', 'Jo Iner', '--email', 'jo@example.com', '--from', later]
  const tried = await run('customers', 'replace', first, ...joiner, '--dry-run')
  assertSucceeded(tried)
  assert.match(
    tried.stdout,
    /^This was a dry run.*\nThe new tenant takes over .*\nIf they accept today, they pay £.* a month\.\nThe contract .*\nOwed in total: £/,
  )
  const withdrawal = await run('customers', 'cancel', second, '--dry-run')
  assertSucceeded(withdrawal)
  assert.match(withdrawal.stdout, /^This was a dry run.*\nThe contract .* is cancelled/)
  const replaced = await run('customers', 'replace', first, ...joiner)
  assertSucceeded(replaced)
  assertSucceeded(await run('customers', 'withdraw-replacement', first))
  assertSucceeded(await run('customers', 'end', first, '--end-date', later, '--reason', 'They move out'))
  const cancelled = await run('customers', 'cancel', second, '--sent-on', today, '--informed-on', today, '--json')
  assertSucceeded(cancelled)
  assert.equal(cancelled.json(EndedContractObject).contract.status, 'cancelled')
  const card = await run('customers', 'change-card', first)
  assertSucceeded(card)
  assert.equal((await fetch(card.stdout.trim())).status, 200)
  assertSucceeded(await run('customers', 'resend-mails', first))
  const link = await run('customers', 'contract-link', first, '--json')
  const { contractUrl } = link.json(Type.Object({ contractUrl: Type.String() }))
  assert.equal((await fetch(contractUrl)).status, 200)

  const { entries } = (await run('audit', 'list', '--partner', partnerId, '--json')).json(AuditEntries)
  const used = new Set(entries.filter(({ actor }) => actor === 'operator').map(({ operation }) => operation))
  for (const name of ['correct', 'end', 'replace', 'withdraw-replacement', 'cancel', 'change-card'])
    assert.ok(used.has(`customers ${name}`), name)
})

test('with Stripe, a change of card prints a link to the operator’s own page with the secret in the fragment, or says what to do with the secret', async () => {
  const { service: own, stop } = await startServiceWithProcessor()
  after(stop)
  const partner = await connectNewPartner(own)
  const { lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  const change = (more: Record<string, string> = {}) =>
    housebill(['customers', 'change-card', lead], { ...own.environment, ...more })
  const bare = await change()
  assertSucceeded(bare)
  const [secret = '', whatToDo = ''] = bare.stdout.split('\n')
  assert.match(secret, /^seti_\w+_secret_\w+$/)
  assert.match(whatToDo, /^This is the client secret .*in the fragment/)
  const linked = await change({ CARD_PAGE_URL: 'https://operator.example/card' })
  assertSucceeded(linked)
  assert.equal(linked.stdout, `https://operator.example/card#client_secret=${secret}\n`)
})

test('a command that cannot be run says why, as the API does', async () => {
  const nobody = 'tenant_01h455vb4pex5vsknk084sn02q'
  assertFailedAsJson(await run('customers', 'cancel', nobody, '--json'), 'not_found')
  assert.equal((await run('customers', 'end', nobody)).code, 2)
  assert.equal((await run('customers', 'cancel', nobody, '--sent-on', 'yesterday')).code, 2)
  const partner = await connectNewPartner(service)
  const { lead } = await startHousehold(partner)
  assertFailedAsJson(await run('customers', 'cancel', lead, '--json'), 'contract_not_in_force')
  assertFailedAsJson(await run('customers', 'correct', lead, '--email', 'nothing', '--json'), 'validation_failed')
})
