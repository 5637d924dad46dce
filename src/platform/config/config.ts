import { join, resolve } from 'node:path'
import { type IsoDate, isIsoDate } from '../kernel/dates.ts'
import { type Pence, pence } from '../kernel/money.ts'
import { longestTokenSeconds } from '../kernel/token-lifetime.ts'
import { type AddressSourceConfig, addressSourceProblems, readAddressSource } from './address-source.ts'
import { allDatabaseUrls, databaseUrlProblems, databaseUrls } from './database-urls.ts'
import { type DeskConfig, readDesk } from './desk.ts'
import { encryptionKeyProblems } from './encryption-keys.ts'
import type { Environment } from './env.ts'
import { type IdentityProviderConfig, identityProviderProblems, readIdentityProvider } from './identity-provider.ts'
import { liveConnectionProblems } from './live-connections.ts'
import { type MailConfig, readMail } from './mail.ts'
import { VariableReader } from './parse.ts'
import { ConfigurationError } from './problems.ts'
import { readTls, type TlsFiles, tlsProblems } from './tls.ts'
import { readTracing, type TracingConfig } from './tracing.ts'

/** Rate limits; 0 means unlimited. */
interface RateLimitsConfig {
  /** The limit on requests by each partner. */
  requestsPerSecond: number
  /** The limit on token requests by each client. */
  tokensPerMinute: number
  /** The limit for each partner on checks that call an upstream. */
  broadbandChecksPerMinute: number
  addressMatchesPerDay: number
}

/**
 * A check keeps an upstream busy for seconds, so by default only one in twenty of a partner's requests can be a check.
 */
const checksForEachCallPerSecond = 3

function readRateLimits(read: VariableReader): RateLimitsConfig {
  const range = { min: 0, max: 1_000_000 }
  const requestsPerSecond = read.integer('RATE_LIMIT_PER_SECOND', 100, range)
  return {
    requestsPerSecond,
    tokensPerMinute: read.integer('TOKEN_RATE_LIMIT_PER_MINUTE', 60, range),
    broadbandChecksPerMinute: read.integer(
      'BROADBAND_CHECK_LIMIT_PER_MINUTE',
      checksForEachCallPerSecond * requestsPerSecond,
      range,
    ),
    addressMatchesPerDay: read.integer('ADDRESS_MATCH_LIMIT_PER_DAY', 2_000, range),
  }
}

/** What `SECURITY_CONTACT` may hold: no spaces or line ends, which would add fields to the published file. */
const contact = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/

/** Where to report vulnerabilities, the preferred way first (RFC 9116 §2.5.3). */
function readSecurityContacts(read: VariableReader): readonly string[] {
  const entries = read.list('SECURITY_CONTACT')
  if (!entries.every((entry) => contact.test(entry))) {
    read.problems.push(
      'SECURITY_CONTACT must be mailto: or https: addresses separated by commas, such as mailto:security@example.com',
    )
  }
  return entries
}

export type Realm = 'sandbox' | 'live'

/** The running configuration: nested, typed, complete and free of secrets. Built once at start. */
export interface Config {
  realm: Realm
  server: {
    host: string
    port: number
    publicUrl: string
    trustedProxies: readonly string[]
    /** Undefined if this process serves plain HTTP. */
    tls: TlsFiles | undefined
    /** Addresses and CIDR ranges of clients that may read /metrics. */
    metricsPeers: readonly string[]
    /** mailto: and https: addresses to which vulnerabilities are reported. */
    securityContacts: readonly string[]
    logLevel: string
  }
  /** The most connections to PostgreSQL of one process. */
  databasePool: number
  dataDir: string
  auth: {
    audience: string
    issuer: string
    /** How long a new token of the embedded provider works. */
    tokenLifetimeSeconds: number
    /** The external provider that issues the tokens; undefined if the embedded provider issues them. */
    identityProvider: IdentityProviderConfig | undefined
  }
  rateLimits: RateLimitsConfig
  quotes: { validitySeconds: number; lockDays: number; billingDay: number; presumesSupply: boolean }
  retention: { abandonedQuoteDays: number; auditLogYears: number }
  /** The file that records erasures. `isGiven` is false if it is the default, in DATA_DIR. */
  erasureLedger: { file: string; isGiven: boolean }
  contracts: { urlLifetimeSeconds: number; operatorFile: string | undefined; requirePreview: boolean }
  webhooks: {
    retrySeconds: readonly number[]
    allowLoopback: boolean
    requireVerification: boolean
    /** Addresses and ranges that no message is sent to. */
    denied: readonly string[]
  }
  payments: {
    processor: 'sandbox' | 'stripe'
    /** Names the account to Stripe's card field in the tenants' browsers. It is no secret. */
    publishableKey: string | undefined
    apiBase: string | undefined
  }
  /** Where the operator's people sign in; undefined if they do not. */
  desk: DeskConfig | undefined
  collecting: CollectingConfig
  refunding: RefundingConfig
  mail: MailConfig
  /** How many e-mails are sent at once. */
  mailConnections: number
  addresses: AddressSourceConfig
  broadband: { homeTelecomUrl: string | undefined; broadbandDatabaseUrl: string | undefined }
  /** Undefined if no traces are recorded. */
  tracing: TracingConfig | undefined
}

/** Pauses after failed attempts (docs/webhooks.md#retries): there is one more attempt than there are pauses. */
export const defaultWebhookRetrySeconds: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
]
const loopback = ['127.0.0.0/8', '::1']

/** Builds the configuration. Throws ConfigurationError naming every invalid or contradictory variable. */
export function buildConfig(environment: Environment): Config {
  const { config, problems } = readConfig(environment)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return config
}

/** The same with the problems, in place of the error. An invalid variable has its default. */
export function readConfig(environment: Environment): { config: Config; problems: readonly string[] } {
  const read = new VariableReader(environment)
  const realm = read.choice('HOUSEBILL_ENV', ['sandbox', 'live'])
  const port = read.integer('PORT', 8080, { min: 1, max: 65_535 })
  const publicUrl = read.origin('PUBLIC_URL') ?? `http://localhost:${port}`
  const dataDir = resolve(read.text('DATA_DIR') ?? './data')
  // A process makes at most 32 calls to the processor at once, in which tenants' calls take turns with a job's.
  const parallel = read.integer('PROCESSOR_PARALLEL_CALLS', 20, { min: 1, max: 32 })
  const config: Config = {
    realm,
    server: {
      host: read.text('HOST') ?? '127.0.0.1',
      port,
      publicUrl,
      trustedProxies: read.addresses('TRUSTED_PROXIES'),
      tls: readTls(read),
      securityContacts: readSecurityContacts(read),
      metricsPeers: read.has('METRICS_ALLOW') ? read.addresses('METRICS_ALLOW') : loopback,
      logLevel: read.choice('LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']),
    },
    databasePool: read.integer('DATABASE_POOL', 18, { min: 10, max: 500 }),
    dataDir,
    auth: {
      audience: read.text('AUTH_AUDIENCE') ?? `${publicUrl}/partner-api`,
      issuer: publicUrl,
      tokenLifetimeSeconds: read.integer('ACCESS_TOKEN_SECONDS', longestTokenSeconds, {
        min: 300,
        max: longestTokenSeconds,
      }),
      identityProvider: readIdentityProvider(read),
    },
    rateLimits: readRateLimits(read),
    quotes: {
      validitySeconds: read.integer('QUOTE_VALIDITY_SECONDS', 1_209_600, { min: 1, max: 31_536_000 }),
      lockDays: read.integer('QUOTE_LOCK_DAYS', 14, { min: 1, max: 365 }),
      billingDay: read.integer('BILLING_DAY', 1, { min: 1, max: 28 }),
      presumesSupply:
        read.choice('SUPPLY_STATUS', realm === 'live' ? ['reported', 'presumed'] : ['presumed', 'reported']) ===
        'presumed',
    },
    retention: {
      abandonedQuoteDays: read.integer('ABANDONED_QUOTE_DAYS', 90, { min: 1, max: 3_650 }),
      auditLogYears: read.integer('AUDIT_LOG_YEARS', 7, { min: 6, max: 20 }),
    },
    erasureLedger: {
      file: resolve(read.text('ERASURE_LEDGER') ?? join(dataDir, 'erasures.jsonl')),
      isGiven: read.has('ERASURE_LEDGER'),
    },
    contracts: {
      urlLifetimeSeconds: read.integer('CONTRACT_URL_TTL_SECONDS', 2_592_000, { min: 1, max: 2_592_000 }),
      operatorFile: read.text('OPERATOR_FILE'),
      requirePreview: read.choice('REQUIRE_PREVIEW', ['off', 'on']) === 'on',
    },
    webhooks: {
      retrySeconds: read.integers('WEBHOOK_RETRY_SECONDS', defaultWebhookRetrySeconds, { min: 0, max: 2_592_000 }),
      allowLoopback: read.flag('WEBHOOK_ALLOW_LOOPBACK'),
      requireVerification: read.flag('WEBHOOK_REQUIRE_VERIFICATION', true),
      denied: read.addresses('WEBHOOK_DENY'),
    },
    payments: {
      processor: read.choice('PAYMENT_PROCESSOR', realm === 'live' ? ['stripe', 'sandbox'] : ['sandbox', 'stripe']),
      publishableKey: readPublishableKey(read),
      apiBase: read.origin('STRIPE_API_BASE'),
    },
    desk: readDesk(read, realm),
    collecting: readCollecting(read, parallel),
    refunding: readRefunding(read, parallel),
    mail: readMail(read, { realm, dataDir }),
    mailConnections: read.integer('SMTP_CONNECTIONS', 3, { min: 1, max: 50 }),
    addresses: readAddressSource(read),
    broadband: {
      homeTelecomUrl: read.url('HOME_TELECOM_URL', 'may carry credentials'),
      broadbandDatabaseUrl: read.url('BROADBAND_DATABASE_URL', 'may carry credentials'),
    },
    tracing: readTracing(read),
  }
  return { config, problems: [...read.problems, ...contradictions(config, read)] }
}

function contradictions(config: Config, read: VariableReader): string[] {
  const problems: string[] = [
    ...encryptionKeyProblems(read.text('ENCRYPTION_KEYS'), { isLive: config.realm === 'live' }),
  ]
  for (const name of allDatabaseUrls) {
    const url = read.text(name)
    if (url !== undefined) problems.push(...databaseUrlProblems(name, url))
  }
  if (read.has('SANDBOX_CLIENT_SECRET') && !read.has('SANDBOX_CLIENT_ID')) {
    problems.push('SANDBOX_CLIENT_SECRET also needs SANDBOX_CLIENT_ID')
  }
  if (!/^[\x20-\x7e]{0,255}$/.test(read.text('SANDBOX_CLIENT_ID') ?? '')) {
    problems.push('SANDBOX_CLIENT_ID must be at most 255 visible ASCII characters')
  }
  const isLive = config.realm === 'live'
  const missing = databaseUrls.filter((name) => !read.has(name))
  const isComplete = missing.length === 0 || missing.length === databaseUrls.length
  if (!isComplete && (isLive || missing.length < databaseUrls.length - 1 || !read.has('DATABASE_URL'))) {
    const given = databaseUrls.filter((name) => read.has(name)).join(' and ')
    problems.push(
      `${given} also needs ${missing.join(' and ')}: one login each for partners' work, for other work, and for migrations`,
    )
  }
  if (read.has('DATABASE_DIRECT_URL') && missing.length > 0)
    problems.push(`DATABASE_DIRECT_URL leads past a pooler, which also needs ${missing.join(' and ')}`)
  problems.push(...tlsProblems(config.server.publicUrl, read))
  problems.push(...identityProviderProblems(config.realm, read))
  problems.push(...addressSourceProblems(config.realm, config.addresses, read))
  if (config.payments.processor === 'sandbox') {
    for (const name of ['STRIPE_PUBLISHABLE_KEY', 'STRIPE_API_BASE'] as const)
      if (read.has(name)) problems.push(`${name} is only used with PAYMENT_PROCESSOR=stripe`)
  }
  if (config.payments.processor === 'stripe') {
    for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const) {
      if (read.has(name)) problems.push(...stripeSecretProblems(name, read))
      else problems.push(`PAYMENT_PROCESSOR=stripe needs ${name}`)
    }
  }
  if (config.realm === 'live') problems.push(...liveContradictions(config, read))
  return problems
}

/** Lists what is missing or not allowed in live, which never uses simulators, sample data or generated secrets. */
function liveContradictions(config: Config, read: VariableReader): string[] {
  const problems: string[] = liveConnectionProblems(read)
  for (const name of ['PUBLIC_URL', 'ENCRYPTION_KEYS', 'OPERATOR_FILE'] as const) {
    if (!read.has(name)) problems.push(`HOUSEBILL_ENV=live needs ${name}`)
  }
  const { homeTelecomUrl, broadbandDatabaseUrl } = config.broadband
  if ((homeTelecomUrl === undefined) !== (broadbandDatabaseUrl === undefined)) {
    problems.push(
      'HOUSEBILL_ENV=live needs HOME_TELECOM_URL and BROADBAND_DATABASE_URL together, or neither if you sell no broadband',
    )
  }
  if (!config.erasureLedger.isGiven) {
    problems.push(
      'HOUSEBILL_ENV=live needs ERASURE_LEDGER, a file that is not restored with the database, such as /var/lib/housebill/erasures.jsonl: it records who was erased',
    )
  }
  if (!read.has('DATABASE_URL')) {
    problems.push(
      'HOUSEBILL_ENV=live needs DATABASE_URL, your own PostgreSQL: the one in the packages is for sandboxes, because its libraries get no security fixes',
    )
  }
  if (config.payments.processor === 'sandbox') {
    problems.push('HOUSEBILL_ENV=live cannot use the simulated payment processor: remove PAYMENT_PROCESSOR=sandbox')
  }
  if (read.has('PUBLIC_URL') && !config.server.publicUrl.startsWith('https://')) {
    problems.push('HOUSEBILL_ENV=live needs an https PUBLIC_URL')
  }
  if (URL.parse(config.payments.apiBase ?? '')?.protocol === 'http:') {
    problems.push('HOUSEBILL_ENV=live needs an https STRIPE_API_BASE: the key is sent there')
  }
  for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY'] as const) {
    if (read.text(name)?.includes('_test_'))
      problems.push(`HOUSEBILL_ENV=live needs a live ${name}; this one is a test key`)
  }
  if (config.webhooks.allowLoopback) problems.push('WEBHOOK_ALLOW_LOOPBACK=true is for sandboxes only')
  if (!config.webhooks.requireVerification) problems.push('WEBHOOK_REQUIRE_VERIFICATION=false is for sandboxes only')
  for (const name of ['SANDBOX_CLIENT_ID', 'SANDBOX_CLIENT_SECRET'] as const) {
    if (read.has(name))
      problems.push(`${name} is for sandboxes only; create live credentials with "housebill partner create"`)
  }
  return problems
}

/** What Stripe's keys look like, and how each is told apart. */
const stripeKeys = {
  STRIPE_SECRET_KEY: { form: /^[rs]k_(test|live)_\w+$/, is: 'the secret key, which begins with sk_ or rk_' },
  STRIPE_WEBHOOK_SECRET: {
    form: /^whsec_[\w+/=-]+$/,
    is: 'the signing secret of the webhook, which begins with whsec_',
  },
  STRIPE_PUBLISHABLE_KEY: {
    form: /^pk_(test|live)_\w+$/,
    is: 'the publishable key, which begins with pk_: pages show it',
  },
} as const

/** What is wrong with one of Stripe's keys, and what it may be instead. Never quotes it. */
function stripeSecretProblems(name: keyof typeof stripeKeys, read: VariableReader): string[] {
  const key = read.text(name) ?? ''
  const { form, is } = stripeKeys[name]
  if (form.test(key)) return []
  const bare = key.replaceAll(/["'\s]/g, '')
  const swapped = Object.entries(stripeKeys).find(([other, { form }]) => other !== name && form.test(bare))?.[0]
  const remedy =
    swapped !== undefined
      ? `. It looks like ${swapped}: the two may be swapped`
      : form.test(bare)
        ? '. Remove the quotation marks and spaces from it'
        : ''
  return [`${name} must be ${is}${remedy}`]
}

/** The key, which pages show. Another key in its place would be given away, so it is neither used nor quoted. */
function readPublishableKey(read: VariableReader): string | undefined {
  if (!read.has('STRIPE_PUBLISHABLE_KEY')) return undefined
  const problems = stripeSecretProblems('STRIPE_PUBLISHABLE_KEY', read)
  read.problems.push(...problems)
  return problems.length === 0 ? read.text('STRIPE_PUBLISHABLE_KEY') : undefined
}

/** Whether Housebill itself asks the payment processor for payments that are due. */
type CollectingConfig = { mode: 'off' } | { mode: 'dry run' | 'on'; from: IsoDate; dailyLimit: Pence; parallel: number }

/** Reads the settings and reports contradictions among them. */
function readCollecting(read: VariableReader, parallel: number): CollectingConfig {
  const mode = read.choice('COLLECTIONS', ['off', 'dry-run', 'on'])
  const dailyLimitPounds = read.integer('COLLECTIONS_DAILY_LIMIT_POUNDS', 10_000, { min: 1, max: 20_000_000 })
  const from = read.text('COLLECTIONS_FROM')
  if (from !== undefined && !isIsoDate(from))
    read.problems.push(`COLLECTIONS_FROM must be a date such as 2027-01-01; it is "${from}"`)
  if (mode === 'off') return { mode }
  if (from === undefined)
    read.problems.push(
      `COLLECTIONS=${mode} needs COLLECTIONS_FROM: payments that were due before that day are never asked for`,
    )
  if (from === undefined || !isIsoDate(from)) return { mode: 'off' }
  return { mode: mode === 'on' ? 'on' : 'dry run', from, dailyLimit: pence(dailyLimitPounds * 100), parallel }
}

/** Whether Housebill itself has the payment processor pay refunds. */
type RefundingConfig = { mode: 'off' } | { mode: 'on'; from: IsoDate; dailyLimit: Pence; parallel: number }

/** Reads the settings and reports contradictions among them. */
function readRefunding(read: VariableReader, parallel: number): RefundingConfig {
  const mode = read.choice('REFUNDS', ['off', 'on'])
  const dailyLimitPounds = read.integer('REFUNDS_DAILY_LIMIT_POUNDS', 1_000, { min: 1, max: 20_000_000 })
  const from = read.text('REFUNDS_FROM')
  if (from !== undefined && !isIsoDate(from))
    read.problems.push(`REFUNDS_FROM must be a date such as 2027-01-01; it is "${from}"`)
  if (mode === 'off') return { mode }
  if (from === undefined)
    read.problems.push('REFUNDS=on needs REFUNDS_FROM: refunds that were planned before that day are never paid by it')
  if (from === undefined || !isIsoDate(from)) return { mode: 'off' }
  return { mode, from, dailyLimit: pence(dailyLimitPounds * 100), parallel }
}
