import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { composeCipher } from '../../../src/app/compose.ts'
import { tenantMailsJob } from '../../../src/contracts/mails/mails.job.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { createMailCounts } from '../../../src/platform/mail/send-all-mails.ts'
import { retryGivenUp } from '../../../src/webhooks/partner-mails/retry-given-up.ts'
import { connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { openDatabases } from '../../support/databases.ts'
import { leavesOf, readEml } from '../../support/eml.ts'
import { onboard, startHousehold } from '../../support/household.ts'
import { mailDependencies } from '../../support/mail-dependencies.ts'
import { connectOperator } from '../../support/operator.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { advanceClock, testTime } from '../../support/quote-fixtures.ts'
import { replace } from '../../support/replacements.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { movableClock, startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { rejection, startMailServer } from './smtp-fixture.ts'

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
test.after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

interface Row {
  mail_id: string
  customer_id: string
  kind: string
  attempts: number
  outcome: string | null
  content_encrypted: string
  sha256: string
}

async function mailsTo(...customers: string[]): Promise<Row[]> {
  const statement = 'select * from tenant_mails where customer_id = any($1) order by mail_id'
  return (await rawRows(service, statement, [customers])) as unknown as Row[]
}

async function openMailing(
  t: TestContext,
  {
    responseCodes = [],
    realm = 'sandbox',
    connections = 1,
    isTaken,
  }: { responseCodes?: number[]; realm?: 'sandbox' | 'live'; connections?: number; isTaken?: () => Promise<void> } = {},
) {
  const server = await startMailServer(t, {
    onRcptTo: (_address, _session, done) => {
      const code = responseCodes.shift()
      const answer = () => done(...(code === undefined ? [] : [rejection(code)]))
      if (isTaken === undefined) answer()
      else isTaken().then(answer)
    },
  })
  const databases = await openDatabases(service.connectionString)
  const secrets = await loadSecrets(service.environment, 'sandbox', service.config.dataDir)
  const cipher = await composeCipher(databases.system, secrets)
  let ahead = 0
  const own = { now: () => new Date(clock.now().getTime() + ahead) }
  const job = tenantMailsJob({
    ...(await mailDependencies(service, cipher)),
    ...{ databases, clock: own, mailSender: server.sender(), counts: createMailCounts(), connections },
    operator: { trader: { name: 'Example Household Bills', email: 'help@bills.example' } },
    realm,
    log: pino({ level: 'silent' }),
  })
  const later = (ms: number) => {
    ahead += ms
  }
  return { server, cipher, later, run: () => job.run(new AbortController().signal) }
}

test('when the last tenant accepts, every tenant is sent a confirmation with their contract as a PDF, and nobody is before', async () => {
  const own = await connectNewPartner(service)
  const { tenants, lead } = await startHousehold(own, { tenants: 2 })
  await onboard(own, lead)
  assert.deepEqual(await mailsTo(...tenants), [])
  await onboard(own, tenants[1] ?? '')
  const queued = await mailsTo(...tenants)
  assert.deepEqual(
    queued.map(({ kind, attempts, outcome }) => [kind, attempts, outcome]),
    tenants.map(() => ['contract_in_force', 0, null]),
  )
  await advanceClock(own, { days: 1 })
  for (const { mail_id: mailId, customer_id: customerId } of queued) {
    const { contract, personalDetails } = succeeded(await own.get(`/Customers/${customerId}`))
    assert.ok(contract)
    const message = await readMail(mailId)
    assert.equal(message.headers.get('message-id'), `<${mailId}@localhost>`)
    assert.match(message.headers.get('to') ?? '', new RegExp(personalDetails.email.replaceAll('.', '\\.')))
    assert.deepEqual([message.type, message.parts[0]?.type], ['multipart/mixed', 'multipart/alternative'])
    const [plain = assert.fail(), html = assert.fail(), pdf = assert.fail()] = leavesOf(message)
    for (const told of [
      `Contract number: ${contract.contractNumber}`,
      'In force since: 1 December 2026 at 09:0',
      'You can cancel until the end of: 15 December 2026',
      'Services: Electricity and gas',
      'your first payment, £',
    ]) {
      assert.ok(plain.text.includes(told), `${told}\n${plain.text}`)
      const [, value = told] = told.split(': ')
      assert.ok(html.text.includes(value), `${value}\n${html.text}`)
    }
    assert.deepEqual(
      [plain.type, html.type, pdf.headers.get('content-disposition')],
      ['text/plain', 'text/html', `attachment; filename=contract-${contract.contractNumber}.pdf`],
    )
    const { contractUrl } = succeeded(await own.get(`/Customers/${customerId}/pci-contract-url-pdf`))
    const document = Buffer.from(await (await fetch(contractUrl)).arrayBuffer())
    assert.ok(pdf.bytes.equals(document), 'the attached bytes are the document')
  }
  const outcomes = (await mailsTo(...tenants)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['sent', 'sent'])
})

async function readMail(mailId: string) {
  return readEml(await readFile(join(service.config.dataDir, 'mails', `${mailId}.eml`), 'latin1'))
}

test('a sole tenant and a tenant who takes over a share are sent a confirmation, and who leaves is sent a receipt', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-01-04' })
  await onboard(own, lead)
  assert.equal((await mailsTo(lead)).length, 1)
  const joiner = await replace(own, lead, '2027-03-01')
  assert.equal((await mailsTo(joiner)).length, 0)
  await onboard(own, joiner)
  assert.equal((await mailsTo(joiner)).length, 1)
  const toLeaver = (await mailsTo(lead)).map(({ kind }) => kind)
  assert.deepEqual(toLeaver, ['contract_in_force', 'place_taken_over'])
  await advanceClock(own, { days: 1 })
})

test('what is sent is stored encrypted with its hash, and sending again after a failure sends the same words with one Message-ID', async (t) => {
  const { server, cipher, run, later } = await openMailing(t, { responseCodes: [450] })
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  await run()
  assert.deepEqual([server.received.length, (await mailsTo(lead))[0]?.attempts], [0, 1])
  await run()
  assert.equal((await mailsTo(lead))[0]?.attempts, 1, 'it is not due yet')
  later(61_000)
  await run()
  const [{ mail_id: row, content_encrypted, sha256, attempts, outcome } = assert.fail()] = await mailsTo(lead)
  assert.deepEqual([attempts, outcome, server.received.length], [2, 'sent', 1])
  const plain = cipher.decrypt(content_encrypted, { column: 'tenant_mails.content', row })
  assert.equal(createHash('sha256').update(plain).digest('hex'), sha256)
  assert.match(server.received[0]?.text ?? '', new RegExp(`^Message-ID: <${row}@example\\.com>\r$`, 'm'))
  assert.match(server.received[0]?.text ?? '', /^Reply-To: Example Household Bills <help@bills\.example>\r$/m)
  // As after a crash between sending and recording: the same bytes again.
  await rawRows(
    service,
    'update tenant_mails set outcome = null, ended_at = null, next_attempt_at = created_at where mail_id = $1',
    [row],
  )
  await run()
  const [first, second] = server.received
  assert.equal(second?.text, first?.text)
})

test('the confirmation of a tenant whose address the mail server rejects is given up at once', async (t) => {
  const { run } = await openMailing(t, { responseCodes: [550] })
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  await run()
  assert.equal((await mailsTo(lead))[0]?.outcome, 'given_up')
  const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.equal(contract?.cancellableUntil, '2026-12-15T23:59:59.999Z')
})

test('a mail server that refuses us keeps every e-mail, tries one every five minutes, and is not held up by one e-mail', async (t) => {
  const { run, later, server } = await openMailing(t, { responseCodes: [530, 530, 550, 530] })
  const leads: string[] = []
  for (let index = 0; index < 3; index += 1) {
    const { lead } = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, lead)
    leads.push(lead)
  }
  const states = async () => (await mailsTo(...leads)).map(({ attempts, outcome }) => `${attempts} ${outcome}`)
  await run()
  await run()
  assert.deepEqual(await states(), ['0 null', '0 null', '0 null'])
  later(5 * 60_000)
  await run()
  assert.deepEqual(await states(), ['0 null', '0 null', '0 null'], 'the second one was refused')
  later(5 * 60_000)
  await run()
  assert.deepEqual((await states()).sort(), ['0 null', '0 null', '1 given_up'], 'rejected as such')
  later(30 * 60_000)
  await run()
  assert.deepEqual((await states()).sort(), ['0 null', '0 null', '1 given_up'])
  later(30 * 60_000)
  await run()
  assert.deepEqual((await states()).sort(), ['1 given_up', '1 sent', '1 sent'])
  const now = clock.now()
  const databases = await openDatabases(service.connectionString)
  const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)
  const retry = (from: number, before: number) =>
    retryGivenUp(databases.system, { from: hours(from), before: hours(before), now })
  await rawRows(
    service,
    "update tenant_mails set ended_at = ended_at - interval '1 day' where outcome = 'given_up' and customer_id <> all($1)",
    [leads],
  )
  assert.deepEqual(await retry(-9, 0), { tenants: 0, partners: 0 })
  assert.deepEqual(await retry(0, 9), { tenants: 1, partners: 0 })
  await run()
  assert.deepEqual(await states(), ['1 sent', '1 sent', '1 sent'])
  assert.equal(server.received.length, 3)
})

test('up to SMTP_CONNECTIONS e-mails are sent at once, but to one tenant only one, and none is sent twice', async (t) => {
  const { tenants, lead } = await startHousehold(partner, { tenants: 2 })
  for (const tenant of tenants) await onboard(partner, tenant)
  succeeded(await partner.post(`/Customers/${lead}/cancel-contract`, {}))
  // All are due before any of other tests.
  await rawRows(
    service,
    `update tenant_mails set next_attempt_at = next_attempt_at - interval '1 day'
      where next_attempt_at is not null and customer_id = any($1)`,
    [tenants],
  )
  const due = (await mailsTo(...tenants)).filter(({ outcome }) => outcome === null)
  assert.ok(due.filter(({ customer_id }) => customer_id === lead).length >= 2)
  const both = Promise.withResolvers<void>()
  let arrived = 0
  const { server, run } = await openMailing(t, {
    connections: 2,
    isTaken: async () => {
      arrived += 1
      if (arrived === 2) {
        const open = await mailsTo(...tenants)
        const begun = open.filter(({ outcome, attempts }) => outcome === null && attempts > 0)
        assert.deepEqual(begun.map(({ customer_id }) => customer_id).sort(), [...tenants].sort())
        both.resolve()
      }
      return both.promise
    },
  })
  await run()
  for (const { outcome, attempts } of await mailsTo(...tenants)) assert.deepEqual([outcome, attempts], ['sent', 1])
  const ids = server.received.map(({ text }) => /^Message-ID: <(.+)>/im.exec(text)?.[1])
  assert.ok(due.every(({ mail_id }) => ids.filter((id) => id?.startsWith(`${mail_id}@`)).length === 1))
})

test('after kill -9 in the middle every e-mail arrives, and only one that the mail server was taking arrives twice, with the same id', async (t) => {
  const { tenants } = await startHousehold(partner, { tenants: 3 })
  for (const tenant of tenants) await onboard(partner, tenant)
  const makeDue = () =>
    rawRows(
      service,
      `update tenant_mails set next_attempt_at = '2026-01-01' where outcome is null and customer_id = any($1)`,
      [tenants],
    )
  await makeDue()
  const due = (await mailsTo(...tenants)).map(({ mail_id: mailId }) => mailId)
  const sent: string[] = []
  const idOf = (mail: string) => /^Message-ID: <(\w+)@/im.exec(mail)?.[1] ?? ''
  const killed = await startMailServer(t, {
    onData: async (stream, _session, done) => {
      sent.push(idOf(await text(stream)))
      // The first is never answered.
      if (sent.length > 1) done()
    },
  })
  const child = spawn(
    process.execPath,
    ['test/support/one-run-process.ts', service.connectionString, 'mails', String(killed.port)],
    { env: { ...process.env, ...service.environment }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  await waitFor('the others', async () => {
    const open = (await mailsTo(...tenants)).filter(({ outcome }) => outcome !== 'sent')
    return open.length === 1 && open[0]?.mail_id === sent[0]
  })
  child.kill('SIGKILL')
  await once(child, 'close')
  await makeDue()
  const { server, run } = await openMailing(t)
  await run()
  sent.push(...server.received.map(({ text: mail }) => idOf(mail)))
  assert.deepEqual(
    due.map((mailId) => sent.filter((id) => id === mailId).length),
    due.map((mailId) => (mailId === sent[0] ? 2 : 1)),
  )
})

test('outside a sandbox, no mail server is given an address that ends in .example or .test', async (t) => {
  const { run, server } = await openMailing(t, { realm: 'live' })
  const { tenants } = await startHousehold(partner, { tenants: 3 })
  const [first = '', second = '', third = ''] = tenants
  await onboard(partner, first, { email: 'ada@home.example' })
  await onboard(partner, second, { email: 'ada@home.TEST' })
  await onboard(partner, third, { email: 'ada@example.com' })
  await run()
  const outcomes = (await mailsTo(...tenants)).map(({ customer_id, outcome }) => [customer_id, outcome])
  assert.deepEqual(Object.fromEntries(outcomes), { [first]: 'test_address', [second]: 'test_address', [third]: 'sent' })
  assert.deepEqual(
    server.received.flatMap(({ to }) => to),
    ['ada@example.com'],
  )
})

test('the operator sends a tenant their e-mails again, to the address that they have now', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['support:write'])
  const { lead } = await startHousehold(own, { tenants: 1 })
  rejected(await operator.post(`/Customers/${lead}/resend-mails`), 422, 'contract_not_in_force')
  const none = await operator.post('/Mails/retry', { from: '2026-01-01', to: '2026-01-02' })
  assert.deepEqual(succeeded(none), { tenants: 0, partners: 0 })
  rejected(await operator.post('/Mails/retry', { from: '2026-01-02', to: '2026-01-01' }), 422, 'validation_failed')
  await onboard(own, lead)
  succeeded(await operator.post(`/Customers/${lead}/resend-mails`))
  assert.equal((await mailsTo(lead)).length, 1, 'what is pending is not doubled')
  await advanceClock(own, { days: 1 })
  succeeded(await operator.patch(`/Customers/${lead}`, { email: 'moved@example.com' }))
  succeeded(await operator.post(`/Customers/${lead}/resend-mails`))
  await advanceClock(own, { days: 1 })
  const [first, again] = (await mailsTo(lead)).filter(({ kind }) => kind === 'contract_in_force')
  assert.deepEqual([again?.kind, again?.outcome, again?.sha256], ['contract_in_force', 'sent', first?.sha256])
  assert.match((await readMail(again?.mail_id ?? '')).headers.get('to') ?? '', /moved@example\.com/)
})

test('no file of an e-mail holds what was never sent', async () => {
  const sent = await rawRows(service, "select mail_id from tenant_mails where outcome = 'sent'")
  const files = await readdir(join(service.config.dataDir, 'mails'))
  for (const file of files)
    assert.ok(
      sent.some(({ mail_id }) => file === `${mail_id}.eml`),
      file,
    )
})

test('whoever ends a contract, the tenant is sent a receipt with both days and what they pay; a dry run sends none', async () => {
  const own = await connectNewPartner(service)
  const operator = await connectOperator(service, ['support:write'])
  const { tenants } = await startHousehold(own, { tenants: 2 })
  for (const tenant of tenants) await onboard(own, tenant)
  const [first = '', second = ''] = tenants
  const { amount } = succeeded(await own.post(`/Sandbox/customers/${first}/collect`))
  await advanceClock(own, { days: 3 })
  const kinds = async (customerId: string) => (await mailsTo(customerId)).map(({ kind }) => kind)

  succeeded(await own.post(`/Customers/${first}/cancel-contract`, { sentOn: '2026-12-02', informedOn: '2026-12-04' }))
  succeeded(await operator.post(`/Customers/${second}/end-contract?dryRun=true`, { endDate: '2027-06-30' }))
  assert.deepEqual(await kinds(second), ['contract_in_force'])
  succeeded(await operator.post(`/Customers/${second}/end-contract`, { endDate: '2027-06-30' }))
  await advanceClock(own, { days: 1 })

  const pounds = `£${(amount / 100).toFixed(2)}`
  const told = [
    [
      first,
      'cancelled',
      'is cancelled',
      'Sent by you on: 2 December 2026',
      'Received by us on: 4 December 2026',
      'You owe nothing.',
    ],
    [first, 'cancelled', `You have paid: ${pounds}`, `We pay back ${pounds} by 18 December 2026.`],
    [
      second,
      'notice_received',
      'ends on 30 June 2027',
      'Last day of the contract: 30 June 2027',
      'Exit fee: £20.00',
      'In total: £',
    ],
  ]
  for (const [customerId = '', kind, ...words] of told) {
    const receipt = (await mailsTo(customerId)).at(-1)
    assert.deepEqual([receipt?.kind, receipt?.outcome], [kind, 'sent'])
    const message = await readMail(receipt?.mail_id ?? '')
    const text = `${message.headers.get('subject')}\n${leavesOf(message)[0]?.text}`
    for (const word of words) assert.ok(text.includes(word), `${word}\n${text}`)
  }
})
