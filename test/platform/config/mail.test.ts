import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildConfig } from '../../../src/platform/config/config.ts'
import type { Environment } from '../../../src/platform/config/env.ts'
import { parseSmtpUrl } from '../../../src/platform/config/mail.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'

function problemsOf(environment: Environment): readonly string[] {
  try {
    buildConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error))
    return error.problems
  }
}

test('a sandbox writes e-mails to files unless a mail server is configured', () => {
  assert.deepEqual(buildConfig({ DATA_DIR: '/data' }).mail, {
    transport: 'file',
    from: 'housebill@localhost',
    folder: '/data/mails',
  })
  const config = buildConfig({ SMTP_URL: 'smtps://bills:secret@mail.example', MAIL_FROM: 'bills@example.com' })
  assert.deepEqual(config.mail, { transport: 'smtp', from: 'bills@example.com' })
  assert.doesNotMatch(JSON.stringify(config), /secret/)
})

test('TLS is required unless the mail server is on this machine', () => {
  const login = { user: 'bills@example.com', password: 'p@ss' }
  assert.deepEqual(parseSmtpUrl('smtps://bills%40example.com:p%40ss@mail.example'), {
    ...{ host: 'mail.example', port: 465, tls: 'implicit', login },
  })
  assert.deepEqual(parseSmtpUrl('smtp://mail.example'), {
    ...{ host: 'mail.example', port: 587, tls: 'starttls', login: undefined },
  })
  for (const [host, name] of [
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
  ] as const)
    assert.deepEqual(parseSmtpUrl(`smtp://${host}:25`), { host: name, port: 25, tls: 'none', login: undefined })
})

test('contradictory settings prevent startup, and no message quotes the password', () => {
  const from = 'bills@example.com'
  assert.deepEqual(problemsOf({ MAIL_FROM: from }), ['MAIL_FROM is only used with SMTP_URL'])
  assert.deepEqual(problemsOf({ SMTP_URL: 'smtp://mail.example' }), [
    'SMTP_URL needs MAIL_FROM, the address that e-mails come from',
  ])
  for (const address of ['bills', 'Bills <bills@example.com>', 'a@b.example, c@d.example', 'a@b@c', 'a@b\r\nBcc:x'])
    assert.match(problemsOf({ SMTP_URL: 'smtp://mail.example', MAIL_FROM: address }).join(), /^MAIL_FROM must/, address)
  for (const url of [
    'https://bills:secret@mail.example',
    'mail.example',
    'smtp://bills:secret@',
    'smtp://bills:secret@mail.example/path',
    'smtp://bills:secret@mail.example?tls.rejectUnauthorized=false',
    'smtp://secret@mail.example',
    'smtp://:secret@mail.example',
    'smtp://bills:secret@mail.example:465',
    'smtp://bills:secret@mail.example:0',
    'smtp://bills:secret%zz@mail.example',
  ]) {
    const problems = problemsOf({ SMTP_URL: url, MAIL_FROM: from })
    assert.equal(problems.length, 1, url)
    assert.match(problems.join(), /^SMTP_URL must/)
    assert.doesNotMatch(problems.join(), /secret/)
  }
})
