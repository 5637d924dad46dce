import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Environment } from '../../src/platform/config/env.ts'
import { startMailServer } from '../platform/mail/smtp-fixture.ts'
import { createSeparateLogins } from '../support/databases.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { readLiveOperator } from '../support/operator.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { housebill } from './cli-fixture.ts'

const database = await createTestDatabase()
after(() => database.drop())
const password = 'hunter2hunter2'

/** A live configuration with nothing wrong in it. Nothing listens where its outside systems are. */
async function liveIn(folder: string): Promise<Environment> {
  const operatorFile = join(folder, 'operator.json')
  await writeFile(operatorFile, JSON.stringify(await readLiveOperator()))
  return {
    HOUSEBILL_ENV: 'live',
    PUBLIC_URL: 'https://bills.example',
    ...(await createSeparateLogins(database.connectionString)),
    ENCRYPTION_KEYS: `live-1:${randomBytes(32).toString('base64')}`,
    ERASURE_LEDGER: join(folder, 'ledger', 'erasures.jsonl'),
    OPERATOR_FILE: operatorFile,
    HOME_TELECOM_URL: 'http://127.0.0.1:9',
    BROADBAND_DATABASE_URL: 'http://127.0.0.1:9',
    STRIPE_SECRET_KEY: ['sk', 'live', 'nobody'].join('_'),
    STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
    STRIPE_API_BASE: 'https://127.0.0.1:9',
  }
}

/** The problems in the output of `--json`. */
function problemsIn({ stdout }: { stdout: string }): string[] {
  const { error } = JSON.parse(stdout) as { error: { problems: { detail: string }[] } }
  return error.problems.map(({ detail }) => detail)
}

test('a complete live configuration passes, and the check creates nothing', async (t) => {
  const folder = await temporaryFolder(t)
  const environment = await liveIn(folder)
  const run = await housebill(['config', 'check'], environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stdout, /^Nothing is wrong with the configuration\.\n$/)
  assert.match(run.stderr, /Warning: SMTP_URL is not set: no e-mail is sent/)
  assert.doesNotMatch(run.stderr, /exit fee/)
  const { earlyExit, ...operator } = await readLiveOperator()
  const fixed = { ...operator, earlyExit: { ...(earlyExit as object), vatRate: '0.2' } }
  await writeFile(environment.OPERATOR_FILE ?? '', JSON.stringify(fixed))
  const { code, stderr } = await housebill(['config', 'check'], environment)
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Warning: OPERATOR_FILE fixes the VAT rate of the exit fee \(earlyExit\.vatRate\)/)
  await assert.rejects(access(environment.ERASURE_LEDGER ?? ''), { code: 'ENOENT' })
})

test('everything that is wrong with settings, secrets, files and systems is listed at once, without a secret', async (t) => {
  const folder = await temporaryFolder(t)
  const { ENCRYPTION_KEYS: _, ...environment } = await liveIn(folder)
  const { trader: _trader, ...operator } = await readLiveOperator()
  await writeFile(join(folder, 'operator.json'), JSON.stringify(operator))
  const run = await housebill(['config', 'check', '--json', '--connect'], {
    ...environment,
    PUBLIC_URL: 'http://bills.example',
    DATABASE_URL: `postgres://app:${password}@db.example/housebill`,
    DATABASE_SYSTEM_URL: environment.DATABASE_OWNER_URL ?? '',
    DATABASE_DIRECT_URL: `postgres://nobody:${password}@127.0.0.1:9/none`,
    ENCRYPTION_KEYS_FILE: join(folder, 'no-such-file'),
    TLS_CERT_FILE: join(folder, 'operator.json'),
    TLS_KEY_FILE: join(folder, 'operator.json'),
    PORT: 'eighty',
    // Not even root can create a file there, although it may write to the folder.
    ERASURE_LEDGER: '/proc/housebill/erasures.jsonl',
  })
  assert.equal(run.code, 1)
  const problems = problemsIn(run)
  for (const pattern of [
    /^ENCRYPTION_KEYS_FILE names a file that cannot be read \(ENOENT\)/,
    /^PORT must be a whole number/,
    /^HOUSEBILL_ENV=live needs an https PUBLIC_URL/,
    /^HOUSEBILL_ENV=live needs \?sslmode=verify-full in DATABASE_URL/,
    /operator\.json cannot be used: .*trader/,
    /^the certificate in TLS_CERT_FILE and the key in TLS_KEY_FILE are not a usable pair/,
    /^ERASURE_LEDGER cannot be created/,
    /^The database cannot be reached \(ECONNREFUSED\)\. Check DATABASE_DIRECT_URL/,
    /^The user of DATABASE_SYSTEM_URL, .*superuser/,
    /^HOME_TELECOM_URL: .*ECONNREFUSED/,
  ])
    assert.equal(problems.filter((problem) => pattern.test(problem)).length, 1, `${pattern}\n${problems.join('\n')}`)
  assert.ok(!problems.some((problem) => problem.includes('needs ENCRYPTION_KEYS')), 'the file is the problem')
  assert.ok(!`${run.stdout}${run.stderr}`.includes(password))
})

test('--connect lists every system that cannot be used at once, and names those that can', async (t) => {
  const environment = await liveIn(await temporaryFolder(t))
  const mailServer = await startMailServer(t)
  const refused = await housebill(['config', 'check', '--connect', '--json'], {
    ...environment,
    DATABASE_SYSTEM_URL: `postgres://nobody:${password}@127.0.0.1:9/none`,
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    MAIL_FROM: 'bills@bills.example',
    ...{ DESK_ISSUER: 'https://127.0.0.1:9', DESK_CLIENT_ID: 'desk', DESK_CLIENT_SECRET: 'a secret' },
  })
  assert.equal(refused.code, 1)
  const problems = problemsIn(refused)
  for (const pattern of [
    /^The database cannot be reached \(ECONNREFUSED\)\. Check DATABASE_SYSTEM_URL/,
    /^STRIPE_SECRET_KEY or STRIPE_API_BASE: payment-processor: .*ECONNREFUSED/,
    /^HOME_TELECOM_URL: .*ECONNREFUSED/,
    /^DESK_ISSUER: operator-identity: .*ECONNREFUSED/,
    /^BROADBAND_DATABASE_URL: .*ECONNREFUSED/,
  ])
    assert.equal(problems.filter((problem) => pattern.test(problem)).length, 1, `${pattern}\n${problems.join('\n')}`)
  assert.deepEqual((JSON.parse(refused.stdout) as { connected: string[] }).connected, ['mail server'])
  assert.ok(!`${refused.stdout}${refused.stderr}`.includes(password))

  const powerful = await housebill(['config', 'check', '--connect', '--json'], {
    ...environment,
    DATABASE_URL: environment.DATABASE_OWNER_URL ?? '',
    DATABASE_SYSTEM_URL: environment.DATABASE_OWNER_URL ?? '',
  })
  assert.match(problemsIn(powerful).join(), /user of DATABASE_URL, .*superuser.* The user of DATABASE_SYSTEM_URL/)
})
