import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { addressSupplierNames } from '../../../src/platform/config/address-source.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import { type Environment, readEnvironment, secretNames } from '../../../src/platform/config/env.ts'
import { parseSmtpUrl } from '../../../src/platform/config/mail.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'
import { readSource } from '../../structure/tree.ts'

/** Returns all problems with an environment; the list is empty if the environment is accepted. */
function problemsOf(environment: Environment): readonly string[] {
  try {
    buildConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error))
    for (const problem of error.problems) assert.ok(error.message.includes(problem), 'the message lists all problems')
    return error.problems
  }
}

/** Asserts that there is exactly one problem for each pattern, in any order, and no other problem. */
function assertProblems(environment: Environment, ...expected: RegExp[]): void {
  const problems = problemsOf(environment)
  assert.equal(problems.length, expected.length, problems.join('\n'))
  for (const pattern of expected)
    assert.ok(
      problems.some((problem) => pattern.test(problem)),
      `${pattern}: ${problems}`,
    )
}

const key = () => randomBytes(32).toString('base64')

test('every default that docs/configuration.md states is the one that the program uses', () => {
  const { text } = readSource('docs/configuration.md')
  const documented = [...text.matchAll(/^\| `([A-Z_]+)` \| `([a-z]+|[\d,./:]+)`/gm)].flatMap(
    ([, name = '', value = '']) => {
      const environment = readEnvironment({ [name]: value })
      return Object.keys(environment).length === 0 ? [] : [environment]
    },
  )
  assert.ok(documented.length > 14, `${documented.length} defaults were found`)
  for (const environment of documented)
    assert.deepEqual(buildConfig(environment), buildConfig({}), JSON.stringify(environment))
})

test('an empty or blank variable counts as unset; others are trimmed', () => {
  for (const blank of ['', ' \t\n']) assert.deepEqual(readEnvironment(new Proxy({}, { get: () => blank })), {})
  assert.deepEqual(readEnvironment({ PORT: ' 9000\n', HOUSEBILL_ENV: 'sandbox', UNRELATED: 'x' }), {
    PORT: '9000',
    HOUSEBILL_ENV: 'sandbox',
  })
})

test('every documented variable is read, and every variable read is documented except the log level', () => {
  const documented =
    `HOUSEBILL_ENV HOST PORT PUBLIC_URL DATABASE_URL DATABASE_SYSTEM_URL DATABASE_OWNER_URL DATABASE_DIRECT_URL DATA_DIR SANDBOX_CLIENT_ID SANDBOX_CLIENT_SECRET OPERATOR_CLIENT_ID OPERATOR_CLIENT_SECRET AUTH_AUDIENCE
    IDP_ISSUER IDP_TOKEN_URL IDP_JWKS_URL DESK_ISSUER DESK_CLIENT_ID DESK_CLIENT_SECRET DESK_ROLES_CLAIM QUOTE_VALIDITY_SECONDS ACCESS_TOKEN_SECONDS QUOTE_LOCK_DAYS REQUIRE_PREVIEW CONTRACT_URL_TTL_SECONDS
    BILLING_DAY ABANDONED_QUOTE_DAYS AUDIT_LOG_YEARS ERASURE_LEDGER RATE_LIMIT_PER_SECOND TOKEN_RATE_LIMIT_PER_MINUTE BROADBAND_CHECK_LIMIT_PER_MINUTE ADDRESS_MATCH_LIMIT_PER_DAY WEBHOOK_RETRY_SECONDS
    WEBHOOK_ALLOW_LOOPBACK WEBHOOK_DENY WEBHOOK_REQUIRE_VERIFICATION PAYMENT_PROCESSOR STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET STRIPE_PUBLISHABLE_KEY STRIPE_API_BASE PROCESSOR_PARALLEL_CALLS COLLECTIONS COLLECTIONS_FROM COLLECTIONS_DAILY_LIMIT_POUNDS
    REFUNDS REFUNDS_FROM REFUNDS_DAILY_LIMIT_POUNDS SUPPLY_STATUS
    ADDRESS_SOURCE ADDRESS_SOURCE_KEY ADDRESS_SOURCE_BASE HOME_TELECOM_URL BROADBAND_DATABASE_URL OPERATOR_FILE ENCRYPTION_KEYS
    TRUSTED_PROXIES TLS_CERT_FILE TLS_KEY_FILE DATABASE_POOL METRICS_ALLOW SECURITY_CONTACT SMTP_URL MAIL_FROM SMTP_CONNECTIONS
    OTEL_SDK_DISABLED OTEL_TRACES_EXPORTER OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_PROTOCOL`.split(
      /\s+/,
    )
  const read: string[] = []
  readEnvironment(new Proxy({}, { get: (_, name) => void read.push(String(name)) }))
  assert.deepEqual(read.sort(), [...documented, ...secretNames.map((name) => `${name}_FILE`), 'LOG_LEVEL'].sort())
})

test('invalid or out-of-range values are reported together with what is allowed', () => {
  for (const [name, values] of Object.entries({
    HOUSEBILL_ENV: ['production', 'Live'],
    DATABASE_POOL: ['9', '501'],
    PORT: ['0', '65536', '-1', '80a', '8080.0', '0x50'],
    PUBLIC_URL: ['localhost:8080', 'ftp://x.example', 'https://x.io/?a=1', 'https://x.io/#a', 'https://x.io/a', 'x'],
    QUOTE_VALIDITY_SECONDS: ['0', 'week'],
    ACCESS_TOKEN_SECONDS: ['299', '86401', '1h'],
    CONTRACT_URL_TTL_SECONDS: ['0', '1e3'],
    BILLING_DAY: ['0', '29'],
    ABANDONED_QUOTE_DAYS: ['0', '3651'],
    AUDIT_LOG_YEARS: ['5', '21', 'ever'],
    RATE_LIMIT_PER_SECOND: ['-1', 'none'],
    TOKEN_RATE_LIMIT_PER_MINUTE: ['1.5'],
    WEBHOOK_RETRY_SECONDS: ['5,,300', '5;300', '-5', 'soon'],
    WEBHOOK_ALLOW_LOOPBACK: ['1', 'yes', 'TRUE'],
    PAYMENT_PROCESSOR: ['adyen'],
    SUPPLY_STATUS: ['on', 'Reported'],
    COLLECTIONS: ['true', 'dry run', 'on'],
    COLLECTIONS_FROM: ['soon', '2027-02-30'],
    COLLECTIONS_DAILY_LIMIT_POUNDS: ['0', '1.5'],
    PROCESSOR_PARALLEL_CALLS: ['0', '33', '2.5'],
    SMTP_CONNECTIONS: ['0', '51'],
    TRUSTED_PROXIES: ['everyone', '10.0.0.0/33'],
    METRICS_ALLOW: ['loopback', '10.0.0.0/33', '*', '10.0.0.0/8;::1', '2001:db8::/129'],
    LOG_LEVEL: ['loud'],
    OTEL_TRACES_EXPORTER: ['zipkin', 'console'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'ftp://collector.example'],
    OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc'],
    DATABASE_URL: ['localhost/bills', 'mysql://u:p@h/d'],
    ENCRYPTION_KEYS: ['no-colon', 'a:short', `a:${key().replace('=', '!')}`, `a b:${key()}`, `a:${key()},a:${key()}`],
    SANDBOX_CLIENT_ID: ['sb_ü', 's'.repeat(256)],
  })) {
    for (const value of values) {
      const [problem = '', ...more] = problemsOf({ [name]: value })
      assert.ok(problem.startsWith(name) && more.length === 0, `${name}=${value}: ${[problem, ...more]}`)
    }
  }
})

test('values at the limits of their ranges are accepted', () => {
  const { webhooks, quotes, rateLimits, server } = buildConfig({
    PORT: '65535',
    BILLING_DAY: '28',
    ABANDONED_QUOTE_DAYS: '30',
    RATE_LIMIT_PER_SECOND: '0',
    TOKEN_RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_RETRY_SECONDS: '1, 2,3',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    METRICS_ALLOW: '10.1.2.3, 2001:db8::/48',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_REQUIRE_VERIFICATION: 'false',
    QUOTE_VALIDITY_SECONDS: '1',
    QUOTE_LOCK_DAYS: '365',
  })
  assert.equal(server.port, 65_535)
  assert.deepEqual(server.trustedProxies, ['10.0.0.0/8', '::1'])
  assert.deepEqual(server.metricsPeers, ['10.1.2.3', '2001:db8::/48'])
  assert.deepEqual(webhooks, { retrySeconds: [1, 2, 3], allowLoopback: true, requireVerification: false, denied: [] })
  assert.deepEqual(quotes, { validitySeconds: 1, lockDays: 365, billingDay: 28, presumesSupply: true })
  assert.deepEqual(rateLimits, {
    requestsPerSecond: 0,
    tokensPerMinute: 0,
    broadbandChecksPerMinute: 0,
    addressMatchesPerDay: 2_000,
  })
})

test('traces are sent if a setting of OpenTelemetry names the endpoint or the exporter, unless another turns them off', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  const json = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  const protobuf = { protocol: 'http/protobuf' }
  for (const [environment, expected] of [
    [json, undefined],
    [endpoint, protobuf],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/v1/traces' }, protobuf],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, protobuf],
    [{ ...endpoint, ...json }, { protocol: 'http/json' }],
    [{ ...endpoint, ...json, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' }, protobuf],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, undefined],
  ] as const)
    assert.deepEqual(buildConfig(environment).tracing, expected, JSON.stringify(environment))
})

test('contradictory settings are reported', () => {
  const [one, two] = ['postgres://o@h/d', 'postgres://p@h/d']
  const others = 'DATABASE_SYSTEM_URL'
  assertProblems({ DATABASE_OWNER_URL: one }, new RegExp(`DATABASE_OWNER_URL also needs DATABASE_URL and ${others}`))
  assertProblems({ DATABASE_URL: one, DATABASE_OWNER_URL: two }, new RegExp(`DATABASE_OWNER_URL also needs ${others}:`))
  assertProblems({ DATABASE_URL: one })
  assertProblems(
    { DATABASE_URL: one, DATABASE_DIRECT_URL: two },
    /^DATABASE_DIRECT_URL leads past a pooler, which also/,
  )
  assertProblems({ STRIPE_API_BASE: 'https://x.example' }, /STRIPE_API_BASE is only used with PAYMENT_PROCESSOR=stripe/)
  assertProblems(
    { STRIPE_PUBLISHABLE_KEY: 'pk_test_1' },
    /STRIPE_PUBLISHABLE_KEY is only used with PAYMENT_PROCESSOR=stripe/,
  )
  assertProblems({ PAYMENT_PROCESSOR: 'stripe' }, /needs STRIPE_SECRET_KEY/, /needs STRIPE_WEBHOOK_SECRET/)
  const stripe = { PAYMENT_PROCESSOR: 'stripe', STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  assertProblems({ ...stripe, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' })
  assertProblems(
    { ...stripe, STRIPE_PUBLISHABLE_KEY: 'sk_test_1' },
    /^STRIPE_PUBLISHABLE_KEY must be the publishable key, which begins with pk_: pages show it\. It looks like STRIPE_SECRET_KEY: the two may be swapped$/,
  )
  for (const [name, value, remedy] of [
    [
      'STRIPE_SECRET_KEY',
      '"sk_test_1"',
      /which begins with sk_ or rk_\. Remove the quotation marks and spaces from it$/,
    ],
    ['STRIPE_SECRET_KEY', 'sk_test_1 ', /Remove the quotation marks and spaces from it$/],
    ['STRIPE_SECRET_KEY', 'pk_test_1', /It looks like STRIPE_PUBLISHABLE_KEY: the two may be swapped$/],
    ['STRIPE_SECRET_KEY', 'whsec_1', /It looks like STRIPE_WEBHOOK_SECRET: the two may be swapped$/],
    ['STRIPE_WEBHOOK_SECRET', 'sk_test_1', /which begins with whsec_\. It looks like STRIPE_SECRET_KEY/],
    ['STRIPE_WEBHOOK_SECRET', 'secret', /^STRIPE_WEBHOOK_SECRET must be the signing secret of the webhook/],
  ] as const)
    assertProblems({ ...stripe, [name]: value }, remedy)
  assertProblems({ ...stripe, STRIPE_API_BASE: 'http://127.0.0.1:12111/' })
  assertProblems(
    { ...stripe, STRIPE_API_BASE: 'https://x.example/v1' },
    /^STRIPE_API_BASE must consist of only a scheme, a host/,
  )
  assertProblems(
    { SANDBOX_CLIENT_SECRET: 'a long enough secret' },
    /SANDBOX_CLIENT_SECRET also needs SANDBOX_CLIENT_ID/,
  )
  assertProblems({ SANDBOX_CLIENT_ID: 'sb_mine' })
})

test('an address supplier needs a key that is valid in an HTTP header; other sources must not have a key', () => {
  for (const source of addressSupplierNames) {
    const given = { ADDRESS_SOURCE: source, ADDRESS_SOURCE_KEY: 'ak_1' }
    assert.deepEqual(buildConfig(given).addresses, { source, apiBase: undefined })
    const elsewhere = { ...given, ADDRESS_SOURCE_BASE: 'https://addresses.example/os/' }
    assert.equal(buildConfig(elsewhere).addresses.apiBase, 'https://addresses.example/os')
    assertProblems({ ADDRESS_SOURCE: source }, /needs ADDRESS_SOURCE_KEY/)
    for (const key of ['with space', 'with"quote', 'ä', 'k'.repeat(256)]) {
      assertProblems({ ...given, ADDRESS_SOURCE_KEY: key }, /^ADDRESS_SOURCE_KEY must be/)
    }
    for (const base of ['nonsense', 'ftp://x.example', 'https://x.example/?key=1', 'https://u:p@x.example']) {
      assertProblems({ ...given, ADDRESS_SOURCE_BASE: base }, /^ADDRESS_SOURCE_BASE must be/)
    }
  }
  assertProblems({ ADDRESS_SOURCE: 'royal-mail' }, /^ADDRESS_SOURCE must be one of/)
  assertProblems({ ADDRESS_SOURCE_KEY: 'ak_1' }, /ADDRESS_SOURCE_KEY is only used with/)
  assertProblems({ ADDRESS_SOURCE_BASE: 'https://x.example' }, /ADDRESS_SOURCE_BASE is only used with/)
})

const provider: Environment = {
  IDP_ISSUER: 'https://id.example/',
  IDP_TOKEN_URL: 'https://id.example/oauth/token',
  IDP_JWKS_URL: 'https://id.example/.well-known/jwks.json',
}

test('an external identity provider needs all three of its settings, which are used unchanged', () => {
  assert.deepEqual(buildConfig(provider).auth.identityProvider, {
    issuer: 'https://id.example/',
    tokenUrl: 'https://id.example/oauth/token',
    jwksUrl: 'https://id.example/.well-known/jwks.json',
  })
  const { IDP_ISSUER = '', ...others } = provider
  assertProblems(others, /^IDP_ISSUER is missing/)
  assertProblems({ IDP_ISSUER }, /^IDP_TOKEN_URL is missing/, /^IDP_JWKS_URL is missing/)
  assertProblems({ ...provider, IDP_ISSUER: 'id.example' }, /^IDP_ISSUER must be/)
  assertProblems({ ...provider, IDP_TOKEN_URL: 'https://u:p@id.example' }, /^IDP_TOKEN_URL must be/)
  assertProblems({ ...provider, IDP_JWKS_URL: 'ftp://id.example/jwks' }, /^IDP_JWKS_URL must be/)
  assertProblems({ ...provider, SANDBOX_CLIENT_ID: 'acme' })
  assertProblems(
    { ...provider, SANDBOX_CLIENT_ID: 'acme', SANDBOX_CLIENT_SECRET: 'x' },
    /^SANDBOX_CLIENT_SECRET cannot be used with IDP_ISSUER/,
  )
  assertProblems({ ...provider, ACCESS_TOKEN_SECONDS: '600' }, /^ACCESS_TOKEN_SECONDS cannot be used with IDP_ISSUER/)
})

test('no reported problem contains a secret', () => {
  const secret = 'hunter2hunter2hunter2'
  const problems = problemsOf({
    DATABASE_URL: `mysql://user:${secret}@host/db`,
    DATABASE_OWNER_URL: `${secret}`,
    ENCRYPTION_KEYS: `a:${secret}`,
    PUBLIC_URL: `https://user:${secret}@x.example`,
    HOME_TELECOM_URL: `ftp://user:${secret}@x.example`,
    BROADBAND_DATABASE_URL: `https://user:${secret}@x.example/?key=${secret}`,
    STRIPE_API_BASE: `https://x.example/?key=${secret}`,
    SANDBOX_CLIENT_SECRET: secret,
    ADDRESS_SOURCE: 'os-places',
    ADDRESS_SOURCE_KEY: `"${secret}"`,
    ADDRESS_SOURCE_BASE: `https://x.example/?key=${secret}`,
  })
  assert.ok(problems.length >= 9, problems.join('\n'))
  assert.ok(!problems.join().includes(secret))
})

test("an upstream's URL may contain credentials, as the upstream documents say", () => {
  const { broadband } = buildConfig({ HOME_TELECOM_URL: 'https://user:pass@telecom.example/api/' })
  assert.equal(broadband.homeTelecomUrl, 'https://user:pass@telecom.example/api')
  assertProblems({ PUBLIC_URL: 'https://user:pass@x.example' }, /^PUBLIC_URL/)
})

test('unless it is set, the limit for broadband checks follows the call limit', () => {
  assert.equal(buildConfig({}).rateLimits.broadbandChecksPerMinute, 300)
  assert.equal(buildConfig({ RATE_LIMIT_PER_SECOND: '4' }).rateLimits.broadbandChecksPerMinute, 12)
  const own = buildConfig({ RATE_LIMIT_PER_SECOND: '0', BROADBAND_CHECK_LIMIT_PER_MINUTE: '7' })
  assert.deepEqual(own.rateLimits, {
    requestsPerSecond: 0,
    tokensPerMinute: 60,
    broadbandChecksPerMinute: 7,
    addressMatchesPerDay: 2_000,
  })
})

test('a different PORT appears in every address shown; PUBLIC_URL overrides it', () => {
  const moved = buildConfig({ PORT: '9000' })
  assert.equal(moved.server.publicUrl, 'http://localhost:9000')
  assert.equal(moved.auth.audience, 'http://localhost:9000/partner-api')
  const published = buildConfig({ PORT: '9000', PUBLIC_URL: 'https://sandbox.example/' })
  assert.equal(published.server.publicUrl, 'https://sandbox.example')
  assert.equal(published.auth.issuer, 'https://sandbox.example')
  assert.equal(published.auth.audience, 'https://sandbox.example/partner-api')
  assert.equal(buildConfig({ AUTH_AUDIENCE: 'urn:bills' }).auth.audience, 'urn:bills')
})

test('PUBLIC_URL is used in its usual spelling, so that the URLs and the issuer built from it are those that clients see', () => {
  for (const PUBLIC_URL of [
    'HTTPS://Bills.Example',
    'https://bills.example:443/',
    'https://bills.example/.',
    'https://bills.example/%2e/',
  ])
    assert.equal(buildConfig({ PUBLIC_URL }).server.publicUrl, 'https://bills.example', PUBLIC_URL)
})

const both = { TLS_CERT_FILE: '/etc/bills/chain.pem', TLS_KEY_FILE: '/etc/bills/key.pem' }

test('a certificate and its key, with an https PUBLIC_URL, make the server use HTTPS', () => {
  const { server } = buildConfig({ ...both, PUBLIC_URL: 'https://bills.example' })
  assert.deepEqual(server.tls, { certFile: '/etc/bills/chain.pem', keyFile: '/etc/bills/key.pem' })
})

test('a certificate without its key or with an http PUBLIC_URL prevents startup', () => {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = both
  assert.throws(() => buildConfig({ TLS_CERT_FILE }), /TLS_CERT_FILE also needs TLS_KEY_FILE/)
  assert.throws(() => buildConfig({ TLS_KEY_FILE }), /TLS_KEY_FILE also needs TLS_CERT_FILE/)
  assert.throws(() => buildConfig(both), /need an https PUBLIC_URL/)
  assert.throws(() => buildConfig({ ...both, PUBLIC_URL: 'http://bills.example' }), /need an https PUBLIC_URL/)
})

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
