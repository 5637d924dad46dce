import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import { parseSmtpUrl } from '../platform/config/mail.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import { withoutEffect } from '../platform/db/database.ts'
import { systemClock } from '../platform/kernel/clock.ts'
import { CommandError } from '../platform/kernel/command-error.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { UpstreamFailure } from '../platform/kernel/upstream-failure.ts'
import { MailFailure } from '../platform/mail/mail-sender.ts'
import { checkSmtp } from '../platform/mail/smtp.ts'
import { createNameLookup } from '../platform/outbound/name-lookup.ts'
import type { Upstream } from '../platform/outbound/upstream.ts'
import { requireRateCards } from '../quoting/rates/watch-rate-cards.ts'
import { composeCipher } from './compose.ts'
import { connectIdentityProvider } from './identity-provider.ts'
import { createCallDurations } from './metrics/metrics.ts'
import { findDatabaseFailures } from './open-database.ts'
import { connectStripe } from './payment-systems.ts'
import { addressSuppliers, createUpstreamOpener, type OpenUpstream } from './upstream-systems.ts'
import { connectOperatorIdentity } from './upstreams.ts'

/** An outside system that the configuration names, and what went wrong with it. */
export interface CheckedSystem {
  name: string
  failures: readonly unknown[]
}

/**
 * Connects to everything that the configuration names, as a start does, and changes nothing there. A system that only
 * answers HTTP counts as connected whatever it answers. Systems whose own settings have `problems` are left out: their
 * secrets might go where they should not.
 */
export async function checkConnections(
  config: Config,
  secrets: Secrets,
  { log, problems }: { log: Logger; problems: readonly string[] },
): Promise<CheckedSystem[]> {
  const isRight = (names: RegExp) => !problems.some((problem) => names.test(problem))
  const hasKeys = isRight(/ENCRYPTION_KEYS/)
  const closers: (() => Promise<void>)[] = []
  const lookup = createNameLookup()
  const openAny = createUpstreamOpener({ callDurations: createCallDurations(), log, lookup, counting: [], closers })
  const systems = [
    ...(secrets.databaseUrl === undefined
      ? []
      : [
          // Without effect: a database without keys must not get one that the wrong ENCRYPTION_KEYS encrypt.
          findDatabaseFailures(config, secrets, {
            log,
            isRight: (variable) => isRight(new RegExp(`\\b${variable}\\b`)),
            async check({ system }) {
              if (hasKeys) await composeCipher(withoutEffect(system), secrets)
              await requireRateCards(system, londonDate(systemClock.now()))
            },
          }).then((failures) => ({ name: 'database', failures })),
        ]),
    ...checksOf({ config, secrets, log, lookup, open: openAny })
      .filter(({ setting }) => isRight(new RegExp(`\\b${setting.slice(0, setting.indexOf('_') + 1)}`)))
      .map(({ setting, name, check }) =>
        check().then(
          () => ({ name, failures: [] }),
          (error: unknown) => ({ name, failures: [explain(error, setting)] }),
        ),
      ),
  ]
  try {
    return await Promise.all(systems)
  } finally {
    for (const close of closers) await close()
  }
}

interface Check {
  name: string
  /** The settings to correct if it fails. */
  setting: string
  check(): Promise<unknown>
}

function checksOf(given: {
  config: Config
  secrets: Secrets
  log: Logger
  lookup: LookupFunction
  open: OpenUpstream
}): Check[] {
  const { config, secrets, lookup, open } = given
  const { addresses, auth, broadband, mail, payments } = config
  const checks: Check[] = []
  const web = (name: string, setting: string, url: string | undefined) => {
    if (url !== undefined) checks.push({ name, setting, check: () => reach(open(name, url)) })
  }
  if (mail.transport === 'smtp') {
    const server = parseSmtpUrl(secrets.smtpUrl ?? '')
    if (typeof server !== 'string') {
      const check = () => checkSmtp({ ...server, from: mail.from, lookup })
      checks.push({ name: 'mail server', setting: 'SMTP_URL', check })
    }
  }
  if (payments.processor === 'stripe') {
    const now = systemClock.now()
    const check = async () => connectStripe(config, secrets, open).listCollections({ since: now, until: now })
    checks.push({ name: 'Stripe', setting: 'STRIPE_SECRET_KEY or STRIPE_API_BASE', check })
  }
  const provider = connectIdentityProvider({ config, clock: systemClock, open })
  if (provider !== undefined) {
    const check = () => provider.find({ algorithm: 'RS256', keyId: undefined })
    checks.push({ name: 'identity provider', setting: 'IDP_JWKS_URL', check })
    web('token endpoint of the identity provider', 'IDP_TOKEN_URL', auth.identityProvider?.tokenUrl)
  }
  const desk = connectOperatorIdentity({ config, secrets, clock: systemClock }, open)
  // Reads what the provider says of itself, and compares its issuer.
  if (desk !== undefined)
    checks.push({ name: 'identity provider of your people', setting: 'DESK_ISSUER', check: () => desk.begin(1) })
  web('home telecom provider', 'HOME_TELECOM_URL', broadband.homeTelecomUrl)
  web('broadband database', 'BROADBAND_DATABASE_URL', broadband.broadbandDatabaseUrl)
  const { source } = addresses
  if (source !== 'database') {
    const check = async () => {
      const opened: Upstream[] = []
      const openOne = (ownBase: string) => {
        const upstream = open(source, addresses.apiBase ?? ownBase)
        opened.push(upstream)
        return upstream
      }
      await addressSuppliers[source](openOne, secrets.addressSourceKey ?? '')
      for (const upstream of opened) await reach(upstream)
    }
    checks.push({ name: 'address supplier', setting: 'ADDRESS_SOURCE', check })
  }
  return checks
}

/** The kinds of failure of a call to which nobody answered. */
const unanswered: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'dropped'])

async function reach(upstream: Upstream): Promise<void> {
  try {
    await upstream.call({ path: '/', responses: {} })
  } catch (error) {
    if (!(error instanceof UpstreamFailure) || unanswered.has(error.kind)) throw error
  }
}

/** Names the setting of a failure that does not name it itself. Never quotes what a system has written. */
function explain(error: unknown, setting: string): unknown {
  const cause = error instanceof Error && error.cause instanceof UpstreamFailure ? error.cause : error
  if (cause instanceof UpstreamFailure)
    return new CommandError('upstream', `${setting}: ${cause.message}. Check the setting, and whether the system runs.`)
  if (cause instanceof MailFailure)
    return new CommandError(
      'mail',
      `${setting}: the mail server cannot be used (${cause.reason}). Check the host, the port, its certificate and the password.`,
    )
  return error
}
