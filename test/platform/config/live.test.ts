import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { buildConfig } from '../../../src/platform/config/config.ts'
import { allDatabaseUrls } from '../../../src/platform/config/database-urls.ts'
import { type Environment, readEnvironment, type VariableName } from '../../../src/platform/config/env.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'

/** Every setting that a live deployment needs, and none that it rejects. */
const live: Environment = {
  HOUSEBILL_ENV: 'live',
  PUBLIC_URL: 'https://bills.example',
  DATABASE_URL: 'postgres://app@db.example/housebill?sslmode=verify-full',
  DATABASE_SYSTEM_URL: 'postgres://system@db.example/housebill?sslmode=verify-full',
  DATABASE_OWNER_URL: 'postgres://owner@db.example/housebill?sslmode=verify-full',
  ENCRYPTION_KEYS: `live-1:${randomBytes(32).toString('base64')}`,
  ERASURE_LEDGER: '/var/lib/housebill/erasures.jsonl',
  OPERATOR_FILE: '/etc/housebill/operator.json',
  HOME_TELECOM_URL: 'https://telecom.example',
  BROADBAND_DATABASE_URL: 'https://broadband-database.example',
  STRIPE_SECRET_KEY: ['sk', 'live', 'abcdefghijklmnop'].join('_'),
  STRIPE_WEBHOOK_SECRET: 'whsec_abcdefghijklmnop',
}

function problemsOf(environment: Environment): readonly string[] {
  try {
    buildConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error))
    return error.problems
  }
}

const without = (...names: VariableName[]): Environment =>
  Object.fromEntries(Object.entries(live).filter(([name]) => !names.some((each) => each === name)))

test('a fully configured live deployment starts', () => {
  assert.deepEqual(problemsOf(live), [])
  const { realm, payments, webhooks } = buildConfig(live)
  assert.deepEqual([realm, payments.processor, webhooks.allowLoopback], ['live', 'stripe', false])
})

test('live does not start without a setting that a sandbox generates or simulates, and names the missing setting', () => {
  for (const name of ['PUBLIC_URL', 'ENCRYPTION_KEYS', 'OPERATOR_FILE'] as const)
    assert.deepEqual(problemsOf(without(name)), [`HOUSEBILL_ENV=live needs ${name}`])
  assert.match(problemsOf(without('STRIPE_SECRET_KEY')).join(), /STRIPE_SECRET_KEY/)
  assert.match(problemsOf(without('STRIPE_WEBHOOK_SECRET')).join(), /STRIPE_WEBHOOK_SECRET/)
})

test('live needs both providers of broadband or, if it sells none, neither', () => {
  for (const name of ['HOME_TELECOM_URL', 'BROADBAND_DATABASE_URL'] as const)
    assert.match(problemsOf(without(name)).join(), /^HOUSEBILL_ENV=live needs HOME_TELECOM_URL and BROADBAND_DATABASE/)
  assert.deepEqual(problemsOf(without('HOME_TELECOM_URL', 'BROADBAND_DATABASE_URL')), [])
})

test('live does not start without a ledger of erasures outside the database', () => {
  const [problem, ...others] = problemsOf(without('ERASURE_LEDGER'))
  assert.match(problem ?? '', /^HOUSEBILL_ENV=live needs ERASURE_LEDGER, a file that is not restored with the database/)
  assert.deepEqual(others, [])
  assert.match(buildConfig({ DATA_DIR: '/srv/bills' }).erasureLedger.file, /^\/srv\/bills\/erasures\.jsonl$/)
})

test('live does not start with a single database login', () => {
  assert.match(
    problemsOf(without('DATABASE_SYSTEM_URL', 'DATABASE_OWNER_URL')).join(),
    /DATABASE_URL also needs DATABASE_SYSTEM_URL and DATABASE_OWNER_URL/,
  )
})

test('live does not start with a database on another machine without verified TLS; sockets and loopback need none', () => {
  for (const name of allDatabaseUrls) {
    for (const query of [
      '',
      '?sslmode=require',
      '?sslmode=no-verify',
      '?sslmode=disable',
      '?host=10.0.0.5',
      '?host=db.example&sslmode=verify-ca',
    ]) {
      const problems = problemsOf({ ...live, [name]: `postgres://app:secret@db.example/housebill${query}` })
      assert.match(problems.join(), new RegExp(`^HOUSEBILL_ENV=live needs \\?sslmode=verify-full in ${name}, `), query)
      assert.doesNotMatch(problems.join(), /secret/)
    }
    // The driver reads these too, and all of them may lead to another machine: without a host, PGHOST decides.
    for (const remote of [
      'postgres://app:secret@/housebill?host=10.0.0.5',
      'postgres://app:secret@/housebill',
      'postgres:///housebill',
      'postgres://app:secret@localhost/housebill?host=%2Frun&host=db.example',
      'postgres://app:secret@db.example/housebill?sslmode=verify-full&sslmode=disable',
      'postgres://app:secret@localhost,db.example/housebill?target_session_attrs=read-write',
      'postgres://app:secret@/housebill?host=/run,db.example&target_session_attrs=read-write',
    ])
      assert.match(problemsOf({ ...live, [name]: remote }).join(), /^HOUSEBILL_ENV=live needs \?sslmode=/, remote)
    for (const local of [
      'postgres://app@localhost/x',
      'postgres://app@localhost:5432,127.0.0.1:5433/x?target_session_attrs=read-write',
      'postgres://app@one,two/x?target_session_attrs=read-write&sslmode=verify-full',
      'postgres://app@127.0.0.1/x',
      'postgres://app@[::1]/x',
      'postgres://app@/x?host=%2Frun%2Fpostgresql',
      'postgres://app@x/x?host=%2Frun%2Fpostgresql',
    ])
      assert.deepEqual(problemsOf({ ...live, [name]: local }), [], local)
  }
})

test('live does not start with a supplier over plain HTTP, or with its credentials in the URL', () => {
  for (const name of ['HOME_TELECOM_URL', 'BROADBAND_DATABASE_URL'] as const) {
    assert.deepEqual(problemsOf({ ...live, [name]: 'http://supplier.example' }), [
      `HOUSEBILL_ENV=live needs an https ${name}, or one on this machine`,
    ])
    const [problem, ...others] = problemsOf({ ...live, [name]: 'https://user:secret@supplier.example' })
    assert.match(problem ?? '', new RegExp(`^HOUSEBILL_ENV=live needs a ${name} without user name and password: `))
    assert.doesNotMatch(problem ?? '', /secret/)
    assert.deepEqual(others, [])
    assert.deepEqual(problemsOf({ ...live, [name]: 'http://127.0.0.1:8081' }), [])
  }
})

test('live does not start with the PostgreSQL of the packages, and a sandbox still does', () => {
  const [problem, ...others] = problemsOf(without('DATABASE_URL', 'DATABASE_SYSTEM_URL', 'DATABASE_OWNER_URL'))
  assert.match(problem ?? '', /^HOUSEBILL_ENV=live needs DATABASE_URL, your own PostgreSQL: /)
  assert.deepEqual(others, [])
  assert.deepEqual(problemsOf({}), [])
})

test('live does not start with a simulator or any other sandbox setting, and names that setting', () => {
  for (const [change, pattern] of [
    [{ PAYMENT_PROCESSOR: 'sandbox' }, /simulated payment processor/],
    [{ SANDBOX_CLIENT_ID: 'sb_x' }, /SANDBOX_CLIENT_ID is for sandboxes only/],
    [{ SANDBOX_CLIENT_ID: 'sb_x', SANDBOX_CLIENT_SECRET: 'y' }, /SANDBOX_CLIENT_SECRET is for sandboxes only/],
    [{ WEBHOOK_ALLOW_LOOPBACK: 'true' }, /WEBHOOK_ALLOW_LOOPBACK=true is for sandboxes only/],
    [{ WEBHOOK_REQUIRE_VERIFICATION: 'false' }, /WEBHOOK_REQUIRE_VERIFICATION=false is for sandboxes only/],
    [{ PUBLIC_URL: 'http://bills.example' }, /needs an https PUBLIC_URL/],
    [{ STRIPE_API_BASE: 'http://stripe.example' }, /needs an https STRIPE_API_BASE/],
    [
      { STRIPE_SECRET_KEY: ['sk', 'test', 'abcdefghijklmnop'].join('_') },
      /live STRIPE_SECRET_KEY; this one is a test key/,
    ],
    [{ STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }, /live STRIPE_PUBLISHABLE_KEY; this one is a test key/],
  ] as const) {
    const problems = problemsOf({ ...live, ...change })
    assert.match(problems.join('\n'), pattern)
  }
})

test('a live service needs the key of its address supplier and sends it over TLS only', async () => {
  const supplied: Environment = { ...live, ADDRESS_SOURCE: 'os-places', ADDRESS_SOURCE_KEY: 'os_1' }
  assert.deepEqual(problemsOf(supplied), [])
  assert.equal((await loadSecrets(supplied, 'live', '/nowhere')).addressSourceKey, 'os_1')
  assert.ok(!JSON.stringify(buildConfig(supplied)).includes('os_1'), 'the key is not in the configuration')
  assert.match(problemsOf({ ...live, ADDRESS_SOURCE: 'os-places' }).join(), /needs ADDRESS_SOURCE_KEY/)
  const [problem = '', ...more] = problemsOf({ ...supplied, ADDRESS_SOURCE_BASE: 'http://places.example' })
  assert.match(problem, /needs an https ADDRESS_SOURCE_BASE/)
  assert.deepEqual(more, [])
})

test('live does not start with a key that somebody made up, or with the same key twice; a sandbox does', () => {
  const encoded = (bytes: Iterable<number> | string) =>
    Buffer.from(typeof bytes === 'string' ? bytes : [...bytes]).toString('base64')
  const good = randomBytes(32).toString('base64')
  const made = {
    zero: encoded(Buffer.alloc(32)),
    'one-byte': encoded(Buffer.alloc(32, 0x5a)),
    pattern: encoded(Buffer.alloc(32, '0123456789abcde')),
    'binary-pattern': encoded(Buffer.alloc(32, Buffer.from([0, 255, 7, 130]))),
    counting: encoded(Array.from({ length: 32 }, (_, index) => index)),
    'counting-down': encoded(Array.from({ length: 32 }, (_, index) => 240 - index * 3)),
    typed: encoded('correct horse battery staple 123'),
  }
  for (const [id, key] of Object.entries(made)) {
    for (const keys of [`${id}:${key}`, `first:${good},${id}:${key}`]) {
      const [problem = '', ...more] = problemsOf({ ...live, ENCRYPTION_KEYS: keys })
      assert.match(problem, new RegExp(`^ENCRYPTION_KEYS: .* "${id}" because it is not random`))
      assert.deepEqual(more, [])
      assert.ok(!problem.includes(key), 'the problem does not quote the key')
      assert.deepEqual(problemsOf({ ENCRYPTION_KEYS: keys }), [])
    }
  }
  const twice = `a:${good},b:${good}`
  assert.match(
    problemsOf({ ...live, ENCRYPTION_KEYS: twice }).join(),
    /^ENCRYPTION_KEYS contains the same key under two ids/,
  )
  const short = randomBytes(31).toString('base64')
  assert.match(problemsOf({ ...live, ENCRYPTION_KEYS: `a:${short}` }).join(), /^ENCRYPTION_KEYS must be .* 32 bytes/)
})

test('live accepts every random key', () => {
  for (let round = 0; round < 200; round += 1)
    assert.deepEqual(problemsOf({ ...live, ENCRYPTION_KEYS: `k:${randomBytes(32).toString('base64')}` }), [])
})

test('live never generates an encryption key', async () => {
  await assert.rejects(loadSecrets(without('ENCRYPTION_KEYS'), 'live', '/nowhere/to/be/written'), ConfigurationError)
})

test('a live deployment calls an external identity provider over TLS only', () => {
  const provider: Environment = {
    IDP_ISSUER: 'https://id.example/',
    IDP_TOKEN_URL: 'https://id.example/oauth/token',
    IDP_JWKS_URL: 'https://id.example/jwks',
  }
  assert.deepEqual(problemsOf({ ...live, ...provider }), [])
  for (const name of ['IDP_ISSUER', 'IDP_TOKEN_URL', 'IDP_JWKS_URL'] as const) {
    const plain = { ...provider, [name]: 'http://id.example/' }
    assert.deepEqual(problemsOf({ ...live, ...plain }), [`HOUSEBILL_ENV=live needs an https ${name}`])
  }
})

test('supply is presumed in a sandbox and reported in live, unless the operator says otherwise', () => {
  const presumes = (environment: Environment) => buildConfig(readEnvironment(environment)).quotes.presumesSupply
  assert.deepEqual([{}, { SUPPLY_STATUS: 'reported' }, live, { ...live, SUPPLY_STATUS: 'presumed' }].map(presumes), [
    true,
    false,
    false,
    true,
  ])
})
