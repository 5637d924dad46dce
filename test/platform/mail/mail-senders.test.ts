import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runMarkedAsTransaction } from '../../../src/platform/db/open-transaction.ts'
import { newId } from '../../../src/platform/kernel/ids.ts'
import { createFileSender } from '../../../src/platform/mail/file.ts'
import { type Mail, MailFailure, type MailSender } from '../../../src/platform/mail/mail-sender.ts'
import { certificate, rejection, startMailServer } from './smtp-fixture.ts'

const mail: Mail = {
  mailId: newId('mail'),
  to: { name: 'Example Lettings', address: 'contact@partner.example' },
  subject: 'Your webhook was disabled',
  text: 'Hello,\n\nIt was disabled.\n',
  date: new Date('2026-11-24T10:15:00Z'),
}

async function failureOf(sender: MailSender, one: Mail = mail): Promise<MailFailure> {
  const failure = await sender.send(one).then(
    () => assert.fail('it was sent'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof MailFailure, String(failure))
  assert.doesNotMatch(`${failure.message} ${failure.stack}`, /@/, 'no address')
  return failure
}

test('an e-mail arrives through SMTP with the sender, recipient, date and a Message-ID made of its id', async (t) => {
  const server = await startMailServer(t)
  await server.sender().send(mail)
  const [{ from, to, text, isSecure } = assert.fail()] = server.received
  assert.deepEqual([from, to, isSecure], ['bills@example.com', ['contact@partner.example'], false])
  assert.match(text, new RegExp(`^Message-ID: <${mail.mailId}@example\\.com>\r$`, 'm'))
  assert.match(text, /^Date: Tue, 24 Nov 2026 10:15:00 \+0000\r$/m)
  assert.match(text, /^To: Example Lettings <contact@partner\.example>\r$/m)
  assert.match(text, /\r\n\r\nHello,\r\n\r\nIt was disabled\.\r\n$/)
})

test('line ends in a name or a subject add neither headers nor recipients', async (t) => {
  const server = await startMailServer(t)
  const injected = 'Evil\r\nBcc: other@elsewhere.example\r\n\r\nNew text'
  const to = { name: `${injected}, "x" <third@elsewhere.example>`, address: mail.to.address }
  await server.sender().send({ ...mail, to, subject: injected })
  const [{ to: recipients, text } = assert.fail()] = server.received
  assert.deepEqual(recipients, ['contact@partner.example'])
  const [head = ''] = text.split('\r\n\r\n')
  const names = head.split(/\r\n(?![ \t])/).map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
  assert.deepEqual(names.filter((name) => ['bcc', 'cc', 'to', 'subject'].includes(name)).sort(), ['subject', 'to'])
})

test('an address that would name two recipients or add a command is sent nothing', async (t) => {
  const server = await startMailServer(t)
  for (const address of ['a@b.example>\r\nRCPT TO:<c@d.example', 'no address']) {
    const failure = await failureOf(server.sender(), { ...mail, to: { name: '', address } })
    assert.equal(failure.kind, 'rejected', failure.message)
  }
  assert.deepEqual(server.received, [])
})

test('a recipient that the mail server rejects for ever is rejected, and one it rejects for now is deferred', async (t) => {
  let responseCode = 450
  const server = await startMailServer(t, { onRcptTo: (_address, _session, done) => done(rejection(responseCode)) })
  assert.deepEqual(await failureOf(server.sender()), new MailFailure('deferred', 'EENVELOPE RCPT TO 450'))
  responseCode = 550
  assert.deepEqual(await failureOf(server.sender()), new MailFailure('rejected', 'EENVELOPE RCPT TO 550'))
})

const replies: readonly [command: 'RCPT TO' | 'DATA', reply: string, is: string][] = [
  ['RCPT TO', '550 5.1.1 no such user', 'rejected'],
  ['RCPT TO', '552 5.2.2 mailbox full', 'deferred'],
  ['RCPT TO', '552 over quota', 'deferred'],
  ['RCPT TO', '550 5.7.1 their own rules', 'deferred'],
  ['RCPT TO', '554 5.7.1 Relay access denied', 'unavailable'],
  ['RCPT TO', '530 5.7.57 client not authenticated', 'unavailable'],
  ['RCPT TO', '550 5.1.90 daily limit for recipients', 'unavailable'],
  ['RCPT TO', '421 4.7.0 try again later', 'unavailable'],
  ['DATA', '550 5.4.5 daily sending limit exceeded', 'unavailable'],
  ['DATA', '550 5.2.0 submission quota exceeded', 'unavailable'],
  ['DATA', '550 5.7.26 not authenticated', 'unavailable'],
  ['DATA', '552 5.3.4 message too big', 'rejected'],
  ['DATA', '554 5.6.0 message content', 'rejected'],
  ['DATA', '452 4.2.2 mailbox full', 'deferred'],
]

test('a permanent reply about us as a sender is no reason to give an e-mail up, nor is a full mailbox', async (t) => {
  let reply = ''
  let at = ''
  const failing = () => Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })
  const server = await startMailServer(t, {
    hideENHANCEDSTATUSCODES: true,
    onRcptTo: (_address, _session, done) => (at === 'RCPT TO' ? done(failing()) : done()),
    onData: (stream, _session, done) => {
      stream.resume()
      stream.on('end', () => done(failing()))
    },
  })
  for (const [command, given, is] of replies) {
    reply = given
    at = command
    const { kind, reason } = await failureOf(server.sender())
    assert.deepEqual([given, kind], [given, is])
    for (const part of given.split(' ').filter((each) => /^\d/.test(each))) assert.ok(reason.includes(part), reason)
  }
})

test('a rejected sender, a wrong password and a rejected connection mean that the mail server cannot be used', async (t) => {
  const server = await startMailServer(t, {
    onMailFrom: (_address, _session, done) => done(rejection(553)),
    onAuth: (_auth, _session, done) => done(rejection(535)),
    allowInsecureAuth: true,
  })
  assert.deepEqual(await failureOf(server.sender()), new MailFailure('unavailable', 'EENVELOPE MAIL FROM 553'))
  const login = { user: 'bills', password: 'wrong-secret' }
  const failure = await failureOf(server.sender({ login }))
  assert.deepEqual([failure.kind, failure.reason], ['unavailable', 'EAUTH AUTH PLAIN 535'])
  assert.doesNotMatch(failure.message, /secret/)
  await server.stop()
  const rejected = await failureOf(server.sender())
  assert.equal(rejected.kind, 'unavailable')
  assert.match(rejected.reason, /ECONNREFUSED/)
})

test('a login is sent over TLS only, by STARTTLS or from the start, and the certificate must be trusted', async (t) => {
  const login = { user: 'bills', password: 'secret' }
  for (const tls of ['starttls', 'implicit'] as const) {
    const logins: unknown[] = []
    const server = await startMailServer(t, {
      secure: tls === 'implicit',
      onAuth: (auth, _session, done) => {
        logins.push([auth.username, auth.password])
        done(null, { user: 'bills' })
      },
    })
    const failure = await failureOf(server.sender({ tls, login }))
    assert.deepEqual([failure.kind, /ETLS|ESOCKET/.test(failure.reason)], ['unavailable', true], failure.reason)
    const otherName = await failureOf(server.sender({ tls, login, trusted: certificate, ...mailHost }))
    assert.equal(otherName.kind, 'unavailable')
    assert.deepEqual([logins, server.received], [[], []])
    await server.sender({ tls, login, trusted: certificate }).send(mail)
    assert.deepEqual([logins, server.received.map(({ isSecure }) => isSecure)], [[['bills', 'secret']], [true]])
  }
})

/** A name for which the certificate is not valid, resolved to loopback by the sender's own lookup. */
const mailHost = {
  host: 'mail.example',
  lookup: ((_name: string, { all }: { all?: boolean }, done: (...found: unknown[]) => void) =>
    all === true
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : done(null, '127.0.0.1', 4)) as import('node:net').LookupFunction,
}

test('a mail server that offers no STARTTLS is sent nothing if TLS is required', async (t) => {
  const server = await startMailServer(t, { disabledCommands: ['STARTTLS'] })
  assert.equal((await failureOf(server.sender({ tls: 'starttls', trusted: certificate }))).kind, 'unavailable')
  assert.deepEqual(server.received, [])
})

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'housebill-mails-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the file transport writes one file for each e-mail, readable by its owner only, and the same bytes again', async (t) => {
  const folder = join(await newFolder(t), 'mails')
  const sender = createFileSender({ folder, from: 'housebill@localhost' })
  await sender.send(mail)
  const path = join(folder, `${mail.mailId}.eml`)
  const first = await readFile(path, 'utf8')
  assert.match(first, new RegExp(`^Message-ID: <${mail.mailId}@localhost>\r$`, 'm'))
  assert.match(first, /\r\n\r\nHello,\r\n\r\nIt was disabled\.\r\n$/)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await sender.send(mail)
  assert.deepEqual(await readdir(folder), [`${mail.mailId}.eml`])
  assert.equal(await readFile(path, 'utf8'), first)
})

test('a folder that cannot be written means that no e-mail can be sent', async (t) => {
  const folder = join(await newFolder(t), 'mails')
  await writeFile(folder, 'a file')
  assert.deepEqual(
    await failureOf(createFileSender({ folder, from: 'housebill@localhost' })),
    new MailFailure('unavailable', 'EEXIST'),
  )
})

test('no e-mail is sent inside a database transaction', async (t) => {
  const server = await startMailServer(t)
  const file = createFileSender({ folder: await newFolder(t), from: 'housebill@localhost' })
  for (const sender of [server.sender(), file])
    await assert.rejects(
      runMarkedAsTransaction(() => sender.send(mail)),
      /inside a database transaction/,
    )
  assert.deepEqual(server.received, [])
})
