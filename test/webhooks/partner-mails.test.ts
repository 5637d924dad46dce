import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import type { Mail, MailSender } from '../../src/platform/mail/mail-sender.ts'
import { createMailCounts } from '../../src/platform/mail/send-all-mails.ts'
import { partnerMailsJob } from '../../src/webhooks/partner-mails/partner-mails.job.ts'
import { rejection, startMailServer } from '../platform/mail/smtp-fixture.ts'
import { movableClock } from '../support/service.ts'
import { changeWebhook, untilStatus, untilVerification, urlOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const never = new AbortController().signal
const dayMs = 86_400_000

/** A partner with a contact, a mail server, and the job that sends, with a clock that the test sets. */
async function openMailing(t: TestContext, options: { replies?: number[]; sender?: MailSender } = {}) {
  const lab = await openLab(t)
  const replies = options.replies ?? []
  const server = await startMailServer(t, {
    onRcptTo: (_address, _session, done) => {
      const code = replies.shift()
      if (code === undefined) done()
      else done(rejection(code))
    },
  })
  const clock = movableClock(new Date().toISOString())
  const counts = createMailCounts()
  const log: string[] = []
  const job = partnerMailsJob({
    db: lab.db,
    cipher: lab.cipher,
    clock,
    mailSender: options.sender ?? server.sender(),
    publicUrl: 'https://bills.example',
    counts,
    connections: 1,
    log: pino({}, { write: (line: string) => void log.push(line) }),
  })
  await setContact(lab, 'contact@partner.example')
  return {
    ...{ lab, server, clock, counts, log },
    run: () => job.run(never),
    moveBy: (ms: number) => clock.moveTo(new Date(clock.now().getTime() + ms).toISOString()),
    mails: () =>
      lab.rows(
        'select kind, subject_id, days_before, attempts, outcome from partner_mails order by created_at, days_before',
      ),
  }
}

async function setContact({ rows, cipher, caller: { partnerId } }: WebhookLab, address: string | null): Promise<void> {
  const location = { column: 'partners.contact_email', row: partnerId }
  const encrypted = address === null ? null : cipher.encrypt(address, location)
  await rows('update partners set name = $2, contact_email_encrypted = $3 where partner_id = $1', [
    partnerId,
    'Example Lettings',
    encrypted,
  ])
}

/** Lets the worker disable a webhook, because its receiver responds with 410. */
async function disableByReceiver(t: TestContext, lab: WebhookLab): Promise<string> {
  const receiver = await startReceiver(t, 410)
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilVerification(lab, webhookId, 'verified')
  await lab.happen(statusChanges(1))
  await untilStatus(lab, webhookId, 'disabled')
  return webhookId
}

async function addCredential(lab: WebhookLab, days: number, livesForDays = 90): Promise<void> {
  await lab.rows(
    `insert into credentials (client_id, partner_id, secret_hash, scopes, name, created_at, expires_at)
     values ('live_reports', $1, 'hash', '{}', 'Reports', now() + make_interval(hours => (24 * ($2::integer -
       $3::integer))), now() + make_interval(hours => (24 * $2::integer)))`,
    [lab.caller.partnerId, days, livesForDays],
  )
}

test('when a webhook is disabled by the service, its partner gets one e-mail that says why and what to do', async (t) => {
  const { lab, server, counts, log, run, mails } = await openMailing(t)
  const webhookId = await disableByReceiver(t, lab)
  assert.deepEqual(await mails(), [
    { kind: 'webhook_disabled', subject_id: webhookId, days_before: 0, attempts: 0, outcome: null },
  ])
  await run()
  await run()
  assert.deepEqual(
    server.received.map(({ to }) => to),
    [['contact@partner.example']],
  )
  const text = server.received[0]?.text ?? ''
  assert.match(text, new RegExp(`^Subject: Your webhook ${webhookId} was\\s+disabled`, 'm'))
  for (const part of ['410 Gone', 'https://bills.example/workplace/developers', 'Example Lettings'])
    assert.ok(text.replaceAll('=\r\n', '').includes(part), text)
  assert.deepEqual(counts, { sent: 1, failed: 0, given_up: 0, unusable: 0 })
  assert.doesNotMatch(log.join(''), /@|Lettings/)
})

test('a webhook that its partner disabled, and a partner without a contact, mean no e-mail', async (t) => {
  const { lab, mails } = await openMailing(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  assert.deepEqual(await mails(), [])
  await setContact(lab, null)
  await disableByReceiver(t, lab)
  assert.deepEqual(await mails(), [])
})

test('a webhook that was enabled before the e-mail was sent, or a contact that was removed, means that none is sent', async (t) => {
  const { lab, server, run, mails } = await openMailing(t)
  const webhookId = await disableByReceiver(t, lab)
  await lab.rows(`update webhooks set status = 'active', disabled_at = null where webhook_id = $1`, [webhookId])
  await addCredential(lab, 10)
  await run()
  assert.deepEqual(
    (await mails()).map(({ outcome }) => outcome),
    ['obsolete', 'sent'],
  )
  await lab.rows(`update partner_mails set outcome = null, next_attempt_at = now() where kind = 'credential_ending'`)
  await setContact(lab, null)
  await run()
  assert.deepEqual(
    (await mails()).map(({ outcome }) => outcome),
    ['obsolete', 'obsolete'],
  )
  assert.equal(server.received.length, 1)
})

test('a credential that ends is announced 14 days and 1 day before, once each, and not after its end', async (t) => {
  const { lab, server, run, moveBy, mails } = await openMailing(t)
  await addCredential(lab, 20)
  await run()
  assert.deepEqual(await mails(), [])
  for (const days of [7, 5, 7.5, 0.2]) {
    moveBy(days * dayMs)
    await run()
    await run()
  }
  moveBy(dayMs)
  await run()
  assert.deepEqual(
    (await mails()).map(({ subject_id, days_before, outcome }) => [subject_id, days_before, outcome]),
    [
      ['live_reports', 14, 'sent'],
      ['live_reports', 1, 'sent'],
    ],
  )
  assert.equal(server.received.length, 2)
  assert.match(server.received[0]?.text ?? '', /live_reports \(Reports\)/)
})

test('a credential that was made for less than 14 days is announced a day before, and one made for less than that is not', async (t) => {
  const { lab, run, moveBy, mails } = await openMailing(t)
  await addCredential(lab, 7, 7)
  await run()
  assert.deepEqual(await mails(), [])
  moveBy(6.5 * dayMs)
  await run()
  assert.deepEqual(
    (await mails()).map(({ days_before }) => days_before),
    [1],
  )
  await lab.rows('delete from partner_mails')
  await lab.rows(`update credentials set created_at = expires_at - interval '23 hours'`)
  await run()
  assert.deepEqual(await mails(), [])
})

test('a temporary failure is retried after a pause, and the e-mail is then sent', async (t) => {
  const { lab, server, counts, log, run, moveBy } = await openMailing(t, { replies: [450] })
  await addCredential(lab, 10)
  await run()
  await run()
  assert.deepEqual([server.received.length, counts], [0, { sent: 0, failed: 1, given_up: 0, unusable: 0 }])
  assert.match(log.join(''), /"reason":"EENVELOPE RCPT TO 450"/)
  moveBy(61_000)
  await run()
  assert.deepEqual([server.received.length, counts], [1, { sent: 1, failed: 1, given_up: 0, unusable: 0 }])
  assert.doesNotMatch(log.join(''), /@/)
})

test('a recipient that is rejected for ever is given up at once, and one that is full after three days', async (t) => {
  const rejected = await openMailing(t, { replies: [550] })
  await addCredential(rejected.lab, 10)
  await rejected.run()
  assert.deepEqual(
    (await rejected.mails()).map(({ outcome }) => outcome),
    ['given_up'],
  )
  assert.deepEqual(rejected.counts, { sent: 0, failed: 0, given_up: 1, unusable: 0 })

  const full = await openMailing(t, { replies: Array.from({ length: 30 }, () => 450) })
  await addCredential(full.lab, 10)
  let hours = 0
  for (; (await full.mails())[0]?.outcome !== 'given_up'; hours += 1) {
    await full.run()
    full.moveBy(3_600_000)
  }
  assert.ok(hours >= 72 && hours <= 84, `${hours} hours`)
  assert.match(full.log.join(''), /450.*e-mail to a partner given up/)
})

test('a mail server that cannot be used is tried every five minutes, and nothing is given up', async (t) => {
  const { lab, server, counts, log, run, moveBy, mails } = await openMailing(t)
  await addCredential(lab, 10)
  await server.stop()
  for (let day = 0; day < 4; day += 1) {
    await run()
    await run()
    moveBy(dayMs)
  }
  assert.deepEqual(counts, { sent: 0, failed: 0, given_up: 0, unusable: 4 }, 'once until five minutes have passed')
  assert.match(log.join(''), /ECONNREFUSED.*the mail server cannot be used/)
  const [{ attempts, outcome } = assert.fail()] = await mails()
  assert.deepEqual([attempts, outcome], [0, null], 'the full three days remain')
})

test('an e-mail that was sent before a crash could be recorded is sent again with the same Message-ID', async (t) => {
  const sent: Mail[] = []
  const { lab, server, run, moveBy, mails } = await openMailing(t, {
    sender: {
      async send(mail) {
        sent.push(mail)
        await server.sender().send(mail)
        // The process loses the database before it can record that the e-mail was sent.
        if (sent.length === 1) throw new Error('killed')
      },
    },
  })
  await addCredential(lab, 10)
  await assert.rejects(run(), /killed/)
  await run()
  assert.equal(server.received.length, 1, 'another process does not send it at the same time')
  moveBy(61_000)
  await run()
  const ids = server.received.map(({ text }) => /^Message-ID: (\S+)\r$/m.exec(text)?.[1])
  assert.equal(ids.length, 2)
  assert.equal(ids[0], ids[1])
  assert.equal(server.received[0]?.text, server.received[1]?.text)
  assert.deepEqual(
    (await mails()).map(({ attempts, outcome }) => [attempts, outcome]),
    [[2, 'sent']],
  )
})
