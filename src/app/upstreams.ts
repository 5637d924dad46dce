import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { IdentityProvider } from '../partners/identity-provider.ts'
import { createOpenIdIdentity } from '../people/identity-provider/openid.ts'
import type { OperatorIdentity } from '../people/operator-identity.ts'
import type { Config } from '../platform/config/config.ts'
import { parseSmtpUrl } from '../platform/config/mail.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import { createFileSender } from '../platform/mail/file.ts'
import type { MailSender } from '../platform/mail/mail-sender.ts'
import { createSmtpSender } from '../platform/mail/smtp.ts'
import type { UpstreamCounters } from '../platform/outbound/counters.ts'
import type { UpstreamLimits } from '../platform/outbound/guard.ts'
import { createNameLookup } from '../platform/outbound/name-lookup.ts'
import type { AddressSource } from '../properties/property.ts'
import { connectIdentityProvider } from './identity-provider.ts'
import { type CallDurations, createCallDurations } from './metrics/metrics.ts'
import { connectPayments, type PaymentSystems } from './payment-systems.ts'
import { startSimulators } from './sandbox/simulators.ts'
import {
  type BroadbandSystems,
  connectAddressSource,
  connectBroadband,
  createUpstreamOpener,
  type OpenUpstream,
} from './upstream-systems.ts'

/** A client for every upstream. A sandbox starts a simulator for each upstream that is not configured. */
export interface Upstreams extends BroadbandSystems, PaymentSystems {
  /** Undefined unless an external identity provider is configured. */
  identityProvider: IdentityProvider | undefined
  /** Where the operator's people sign in; undefined unless it is configured. */
  operatorIdentity: OperatorIdentity | undefined
  addresses: AddressSource
  /** Undefined if no e-mail is sent. */
  mailSender: MailSender | undefined
  /** How long the calls of every client took since the process started. */
  callDurations: CallDurations
  /** The counters of every client since the process started. */
  counters(): UpstreamCounters[]
  close(): Promise<void>
}

interface UpstreamDependencies {
  config: Config
  secrets: Secrets
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  bankHolidays: BankHolidays
  log: Logger
  /** Replaces the default limits of every upstream, in tests. */
  upstreamLimits?: Partial<UpstreamLimits> | undefined
}

export async function connectUpstreams(deps: UpstreamDependencies): Promise<Upstreams> {
  const closers: (() => Promise<void>)[] = []
  const counting: (() => UpstreamCounters)[] = []
  const lookup = createNameLookup()
  const callDurations = createCallDurations()
  const open = createUpstreamOpener({ callDurations, log: deps.log, lookup, counting, closers }, deps.upstreamLimits)
  const simulators = await startSimulators({ ...deps, db: deps.databases.system }, closers)
  const broadband = connectBroadband({ ...deps, simulators, open })
  if (deps.config.realm === 'live' && deps.config.broadband.homeTelecomUrl === undefined)
    deps.log.warn('no broadband is sold: HOME_TELECOM_URL and BROADBAND_DATABASE_URL are not set')
  const identityProvider = connectIdentityProvider({ ...deps, open })
  const addresses = await connectAddressSource({ ...deps, db: deps.databases.shared, open }, closers)
  const payments = await connectPayments({ ...deps, db: deps.databases.system, simulators, open })
  return {
    ...broadband,
    identityProvider,
    operatorIdentity: connectOperatorIdentity(deps, open),
    addresses,
    ...payments,
    mailSender: connectMailSender(deps, lookup),
    callDurations,
    counters: () => counting.map((read) => read()),
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}

/** The identity provider of the operator's people. Its endpoints can have other hosts than its issuer. */
export function connectOperatorIdentity(
  { config, secrets, clock }: Pick<UpstreamDependencies, 'config' | 'secrets' | 'clock'>,
  open: OpenUpstream,
): OperatorIdentity | undefined {
  const { desk, server } = config
  if (desk === undefined || secrets.deskClientSecret === undefined) return undefined
  const redirectUri = `${server.publicUrl}/desk/sign-in/callback`
  const settings = { ...desk, redirectUri, clientSecret: secrets.deskClientSecret }
  const nameOf = (origin: string) => (origin === new URL(desk.issuer).origin ? '' : ` ${new URL(origin).hostname}`)
  return createOpenIdIdentity(settings, {
    open: (origin) => open(`operator-identity${nameOf(origin)}`, origin),
    now: () => clock.now(),
  })
}

/** How this deployment writes to partners' contacts. Undefined if it does not, which is logged once. */
function connectMailSender(
  { config: { mail }, secrets, log }: { config: Config; secrets: Secrets; log: Logger },
  lookup: LookupFunction,
): MailSender | undefined {
  switch (mail.transport) {
    case 'none':
      log.warn('no e-mail is sent to tenants or to contacts of partners: SMTP_URL is not set')
      return undefined
    case 'file':
      return createFileSender(mail)
    case 'smtp': {
      const server = parseSmtpUrl(secrets.smtpUrl ?? '')
      if (typeof server === 'string') throw new Error(server)
      return createSmtpSender({ ...server, from: mail.from, lookup })
    }
  }
}
