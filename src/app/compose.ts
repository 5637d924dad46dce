import type { Logger } from 'pino'
import { createContractLinks, createPreviewLinks } from '../contracts/links/contract-link.ts'
import { onboardingLinkDays, readLinkKeys } from '../contracts/links/link-token.ts'
import { createOnboardingLinks } from '../contracts/links/onboarding-link.ts'
import { loadQuoteForUpdate } from '../contracts/load-quote-for-update.ts'
import { queueDueMails } from '../contracts/mails/queue-due-mails.ts'
import { createRefusalLinks, refusalLinkDays } from '../contracts/mails/refusal-link.ts'
import { sendTenantMailsOf } from '../contracts/mails/send-due-tenant-mails.ts'
import { recordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import type { OperatorFile } from '../contracts/operator-file.ts'
import { removeTenantsOf } from '../contracts/remove-tenants-of.ts'
import { createThreadedRenderer } from '../contracts/renderer/threads/threaded-renderer.ts'
import type { AgreedTerms } from '../contracts/terms/agreed-terms.ts'
import { isFreeWhenTenancyEnds } from '../contracts/terms/fees-in-words.ts'
import { createTermsView, storeTerms } from '../contracts/terms/view-terms.ts'
import { createPartnerDirectory } from '../partners/partner-directory.ts'
import { followRevokedTokens } from '../partners/revocation/revoked-tokens.ts'
import { createTokenVerifier } from '../partners/verify-token.ts'
import { planForCustomer } from '../payments/plan/plan-payments.ts'
import { createReadLog } from '../platform/audit/read-log.ts'
import type { Config } from '../platform/config/config.ts'
import { ConfigurationError } from '../platform/config/problems.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Database } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { ServerLimits } from '../platform/http/server-limits.ts'
import { createAddressFilter } from '../platform/kernel/address-filter.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { createFieldCipher, DecryptionError, type FieldCipher } from '../platform/kernel/field-encryption.ts'
import { hashKeyKind, readRing } from '../platform/keys/key-ring.ts'
import type { UpstreamLimits } from '../platform/outbound/guard.ts'
import type { NameResolver } from '../platform/outbound/name-lookup.ts'
import { followOwnAddresses } from '../platform/outbound/own-addresses.ts'
import { createSystemResolver } from '../platform/outbound/system.ts'
import { readLatestEntries } from '../privacy/erasure-ledger/file.ts'
import { findMissedErasures } from '../privacy/find-missed-erasures.ts'
import { createRateCardCatalogue } from '../quoting/rates/card-catalogue.ts'
import type { UrlCheckDependencies } from '../webhooks/endpoints/check-registration.ts'
import type { EgressRules } from '../webhooks/sender/webhook-target.ts'
import type { DeploymentDependencies } from './http/route-dependencies.ts'
import { connectTokenIssuer } from './identity-provider.ts'
import { openErasureLedger } from './open-erasure-ledger.ts'
import { liveProblems } from './operator-file.ts'
import { readOperator, readReferenceData, warnOfEndingHolidays } from './reference-data.ts'
import { connectUpstreams, type Upstreams } from './upstreams.ts'

/**
 * Logs an error if the latest erasures of the ledger are missing in the database: somebody restored a backup and did
 * not replay them. The service starts all the same, because an erasure that was rolled back leaves the same trace.
 */
export async function warnOfMissedErasures({
  config,
  databases,
  log,
}: {
  config: Config
  databases: Databases
  log: Logger
}): Promise<void> {
  const entries = await readLatestEntries(config.erasureLedger.file).catch(() => [])
  const missed = await findMissedErasures({ databases }, entries)
  if (missed.length > 0)
    log.error(
      { customers: missed.length },
      'the database contains customers whose erasure is in ERASURE_LEDGER: run "housebill customers erase --replay"',
    )
}

interface Composition {
  services: DeploymentDependencies
  upstreams: Upstreams
  /** Stops the threads that render documents. */
  closeRenderer(): Promise<void>
}

/** Parts that tests can replace. */
export interface Replacements {
  clock: Clock
  resolver?: NameResolver
  egress?: EgressRules
  upstreamLimits?: Partial<UpstreamLimits>
  serverLimits?: Partial<ServerLimits>
  documentRenderer?: ClosableRenderer
}

const wrongKeys =
  'ENCRYPTION_KEYS (in a sandbox, DATA_DIR/encryption-keys) cannot decrypt this database: restore the keys it was created with, or start with an empty database'

/** The cipher of this deployment: encryption keys from the environment, hash keys from the database. */
export async function composeCipher(db: Database, { keyRing }: Secrets): Promise<FieldCipher> {
  const ring = await readRing({ db, cipher: createFieldCipher(keyRing, []) }, hashKeyKind).catch((error: unknown) => {
    throw error instanceof DecryptionError ? new ConfigurationError([wrongKeys]) : error
  })
  const hashKeys = ring.map(({ id, secret }) => ({ id, key: secret }))
  return createFieldCipher(keyRing, hashKeys)
}

type ClosableRenderer = ReturnType<typeof createThreadedRenderer>

function renderInThreads(log: Logger): ClosableRenderer {
  return createThreadedRenderer({
    onThreadEnded: (error) => log.warn({ err: error }, 'rendering thread ended unexpectedly'),
  })
}

/** Builds everything the routes use from the configuration and an open database. */
export async function compose(
  given: {
    config: Config
    secrets: Secrets
    databases: Databases
    log: Logger
  },
  { clock, resolver, egress, upstreamLimits, documentRenderer = renderInThreads(given.log) }: Replacements,
): Promise<Composition> {
  const { config, secrets, databases } = given
  const db = databases.system
  const erasureLedger = await openErasureLedger(config)
  await warnOfMissedErasures(given)
  const cipher = await composeCipher(db, secrets)
  const reference = await readReferenceData()
  warnOfEndingHolidays(reference.bankHolidays, londonDate(clock.now()), given.log)
  const linkSigning = {
    keys: await readLinkKeys({ db, cipher, lifetimeSeconds: config.contracts.urlLifetimeSeconds }),
    lifetimeSeconds: config.contracts.urlLifetimeSeconds,
  }
  const [operator, upstreams] = await Promise.all([
    readOperator(config.contracts.operatorFile),
    connectUpstreams({ ...given, cipher, bankHolidays: reference.bankHolidays, upstreamLimits, clock }),
  ])
  if (config.realm === 'live') {
    const problems = liveProblems(operator, await readOperator(undefined))
    if (problems.length > 0) {
      await upstreams.close()
      throw new ConfigurationError(problems)
    }
  }
  const terms = await readStoredTerms({ config, db, log: given.log }, operator).catch(async (error: unknown) => {
    await upstreams.close()
    throw error
  })
  const mails = {
    ...{ cipher, operator, realm: config.realm },
    abandonedQuoteDays: config.retention.abandonedQuoteDays,
    confirmsByDefault: config.mail.transport === 'none' ? ('partner' as const) : ('operator' as const),
    contractUrlPolicy: { publicUrl: config.server.publicUrl, lifetimeSeconds: config.contracts.urlLifetimeSeconds },
    onboardingLinks: createOnboardingLinks({ ...linkSigning, lifetimeSeconds: onboardingLinkDays * 86_400 }),
    refusalLinks: createRefusalLinks({ ...linkSigning, lifetimeSeconds: refusalLinkDays * 86_400 }),
  }
  const partners = createPartnerDirectory({ db, clock, cipher })
  const revokedTokens = followRevokedTokens({ db, clock })
  const { identityProvider } = upstreams
  const { tokenSource, tokenRules, operatorTokens } = await connectTokenIssuer({
    config,
    db,
    cipher,
    clock,
    identityProvider,
  })
  const tokenVerifier = createTokenVerifier({ db, cipher, clock, partners, revokedTokens }, tokenRules)
  return {
    upstreams,
    closeRenderer: () => documentRenderer.close(),
    services: {
      databases,
      readLog: createReadLog(databases.system),
      clock,
      erasureLedger,
      partners,
      ...reference,
      ...mails,
      terms,
      viewTerms: createTermsView({ db: databases.shared, documentRenderer, operator, realm: config.realm }),
      tokenSource,
      operatorTokens,
      tokenVerifier,
      revokedTokens,
      addresses: upstreams.addresses,
      addressMatchesPerDay: config.rateLimits.addressMatchesPerDay,
      homeTelecom: upstreams.homeTelecom,
      broadbandDatabase: upstreams.broadbandDatabase,
      simulatedUpstreams: upstreams.simulatedUpstreams,
      paymentProcessor: upstreams.paymentProcessor,
      publishableKey: config.payments.publishableKey,
      sandboxProcessor: upstreams.sandboxProcessor,
      async sendTenantMails(partnerId, customerId) {
        const { mailSender } = upstreams
        const mailing = { ...mails, databases, clock }
        if (mailSender === undefined) return
        for (const err of await sendTenantMailsOf({ ...mailing, mailSender }, partnerId, customerId))
          given.log.error({ err, partnerId }, 'e-mail to a tenant could not be written; it will be retried')
      },
      queueDueTenantMails: (partnerId) =>
        queueDueMails({ ...mails, ...reference, databases, clock }, { partnerId, isStopping: () => false }),
      cards: createRateCardCatalogue(),
      quotePolicy: { ...config.quotes, isFreeWhenTenancyEnds: isFreeWhenTenancyEnds(operator) },
      loadQuoteForUpdate,
      removeTenantsOf,
      planForCustomer,
      recordContractChange,
      contractLinks: createContractLinks(linkSigning),
      previewLinks: createPreviewLinks(linkSigning),
      previewPolicy: { acceptsUnseen: !config.contracts.requirePreview },
      documentRenderer,
      ...composeUrlChecks(config, clock, { resolver, egress }),
    },
  }
}

/** How the URLs of webhooks are resolved, and which addresses they may have. */
function composeUrlChecks(
  { server, webhooks }: Config,
  clock: Clock,
  replaced: { resolver?: NameResolver | undefined; egress?: EgressRules | undefined } = {},
): UrlCheckDependencies {
  const resolver = replaced.resolver ?? createSystemResolver()
  const egress = replaced.egress ?? {
    allowLoopback: webhooks.allowLoopback,
    isDenied: createAddressFilter(webhooks.denied),
    ownAddresses: followOwnAddresses({ publicUrl: server.publicUrl, resolver, clock }),
  }
  return { resolver, egress }
}

/**
 * Stores the terms of the operator's file and returns the current terms as stored. If the file changes the text of a
 * stored version, live does not start: tenants may have agreed to the stored text. A sandbox logs a warning and keeps
 * the stored text.
 */
async function readStoredTerms(
  { config, db, log }: { config: Config; db: Database; log: Pick<Logger, 'warn'> },
  operator: OperatorFile,
): Promise<AgreedTerms> {
  const { terms, hasChanged } = await storeTerms({ db }, operator)
  if (!hasChanged) return terms
  const { version } = terms
  if (config.realm === 'live') {
    throw new ConfigurationError([
      `OPERATOR_FILE changes the terms of version ${version}, which tenants may have agreed to. Give the changed terms a new terms.version, or restore terms, earlyExit and latePayment as they are at /terms/${version}`,
    ])
  }
  log.warn(
    { version },
    'the terms in OPERATOR_FILE differ from the stored ones of this version, which stay in use; change terms.version',
  )
  return terms
}
