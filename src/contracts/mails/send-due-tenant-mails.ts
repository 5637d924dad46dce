import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { emailHash, emailHashes, isTestAddress } from '../../platform/kernel/email.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { attemptMail, type MailAttempt } from '../../platform/mail/attempt-mail.ts'
import type { Mail, MailSender } from '../../platform/mail/mail-sender.ts'
import { asOf, needsLead } from '../../quoting/quotes/quote.ts'
import { findQuoteOfCustomer } from '../../quoting/quotes/quotes.store.ts'
import { hasCard } from '../../quoting/tenants/customer.ts'
import { findCustomer } from '../../quoting/tenants/customers.store.ts'
import { findOnboardingRevision } from '../../quoting/tenants/link-revisions.store.ts'
import { findContractDocument } from '../contract-documents.store.ts'
import { recordConfirmationSent } from '../contracts.store.ts'
import {
  type OnboardingLinkDependencies,
  signOnboardingLink,
  tenantPagesAddress,
} from '../links/issue-onboarding-link.ts'
import { linkExpiry } from '../links/link-token.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import type { OperatorFile } from '../operator-file.ts'
import { printable } from '../printable.ts'
import { maySign } from './may-sign.ts'
import { type RefusalLinks, refusalLinkDays, refusalUrl } from './refusal-link.ts'
import { type TenantMailOutcome, tenantMailKind } from './tenant-mail-kinds.ts'
import { type FilledIn, fillIn, type MailContent, renderMail } from './tenant-mail-layout.ts'
import {
  findMailContent,
  type LeasedTenantMail,
  leaseDueTenantMail,
  listRefusals,
  postponeTenantMails,
  recordTenantMailOutcome,
} from './tenant-mails.store.ts'

export interface TenantMailingDependencies extends OnboardingLinkDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  mailSender: MailSender
  /** Who the e-mails are from, where a tenant's answer goes, and how they look. */
  operator: Pick<OperatorFile, 'look'> & { trader: Pick<OperatorFile['trader'], 'name' | 'email'> }
  realm: 'sandbox' | 'live'
  refusalLinks: RefusalLinks
}

const origin: Origin = { actor: 'worker', operation: 'sendTenantMail' }

/** Leases the e-mail to a tenant that has been due for longest, to none of these. Undefined if none is due. */
export function leaseTenantMail(
  { databases, clock }: TenantMailingDependencies,
  besides: readonly string[],
): Promise<LeasedTenantMail | undefined> {
  return leaseDueTenantMail(databases.system, clock.now(), { besides })
}

type SendingAttempt = Omit<MailAttempt, 'outcome'> & {
  outcome: TenantMailOutcome | 'failed'
  isServerUsable: boolean
  /** Why the e-mail could not be written. It stays due: once the cause is mended, it is sent, however late. */
  error?: unknown
}

/**
 * Sends an e-mail that is leased, outside any transaction. Returns how the attempt ended and whether it is of any use to
 * send others now. If the process is killed before it has recorded the outcome, the e-mail is sent again, with the same
 * Message-ID.
 */
export async function sendTenantMail(
  deps: TenantMailingDependencies,
  leased: LeasedTenantMail,
): Promise<SendingAttempt> {
  const { mailId, partnerId, kind, clockOffsetSeconds } = leased
  const db = deps.databases.forPartner(partnerId, origin)
  const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
  let composed: Awaited<ReturnType<typeof compose>>
  try {
    composed = await compose(deps, leased, now)
  } catch (error) {
    // Another e-mail can be written although this one cannot.
    return { mailId, partnerId, kind, outcome: 'failed', isServerUsable: true, error }
  }
  const attempt =
    typeof composed === 'string' ? { outcome: composed } : await attemptMail(deps.mailSender, composed.mail, leased)
  const { outcome } = attempt
  const failure = 'failure' in attempt ? attempt.failure : undefined
  if (outcome !== 'failed') {
    const linkRevision = typeof composed === 'string' ? null : composed.linkRevision
    await inTransaction(db, {}, async (tx) => {
      const { contractNumber } = leased
      if (outcome === 'sent' && tenantMailKind(kind).confirmsContract === true && contractNumber !== null)
        await recordContractChange(
          tx,
          { partnerId, contractNumbers: [contractNumber], change: 'confirmation_sent' },
          (recorded) => recordConfirmationSent(tx, recorded, { partnerId, contractNumber }, now),
        )
      await recordTenantMailOutcome(tx, leased, { outcome, linkRevision }, now)
    })
  }
  if (outcome === 'failed' && failure?.kind === 'unavailable')
    await postponeTenantMails(deps.databases.system, leased, deps.clock.now())
  const reason = failure === undefined ? {} : { reason: failure.reason }
  return { mailId, partnerId, kind, outcome, ...reason, isServerUsable: failure?.kind !== 'unavailable' }
}

/** An e-mail as it is sent, and the number of the link in it; null without one. */
interface Composed {
  mail: Mail
  linkRevision: number | null
}

/**
 * The e-mail as it is sent, or why it is not. Since it was written, the tenant may have signed, left or got another
 * address, somebody at the address may have refused e-mails, and what it tells may be over.
 */
async function compose(
  deps: TenantMailingDependencies,
  leased: LeasedTenantMail,
  now: Date,
): Promise<Composed | 'obsolete' | 'refused' | 'test_address'> {
  const { mailId, partnerId, customerId, contractNumber, createdAt } = leased
  const { databases, cipher, realm, operator } = deps
  const kind = tenantMailKind(leased.kind)
  const db = databases.forPartner(partnerId, origin)
  const content = await findMailContent(db, cipher, leased)
  const customer = await findCustomer(db, cipher, { partnerId, now }, customerId)
  if (content === undefined || customer === undefined) return 'obsolete'
  if (customer.erasedAt !== null && content.name === undefined) return 'obsolete'
  const { usefulMinutes = Number.POSITIVE_INFINITY } = kind
  if (now.getTime() > createdAt.getTime() + usefulMinutes * 60_000) return 'obsolete'
  if (content.until !== undefined && londonDate(now) > content.until) return 'obsolete'
  const { personal } = customer
  const address = content.to ?? personal.email
  if (realm === 'live' && isTestAddress(address)) return 'test_address'
  const isCustomer = contractNumber !== null || customer.contractNumber !== null
  if (!isCustomer && (await listRefusals(db, partnerId, emailHashes(cipher, address))).size > 0) return 'refused'
  const link = await linkIn(deps, leased, { content, now })
  if (link === 'obsolete') return 'obsolete'
  const name = firstWord(content.name ?? personal.firstName)
  const { trader, look } = operator
  const filled = {
    name: printable(name),
    left: [...(customer.status === 'active' ? ['your details'] : []), ...(hasCard(customer) ? [] : ['your card'])],
    pages: link,
    refusalUrl: isCustomer ? null : await refusalUrlFor(deps, { customerId, address, now, page: 'not-me' }),
  }
  const words = { subject: content.subject, parts: fillIn(content.parts, filled) }
  const unsubscribe =
    kind.isReminder === true
      ? { unsubscribeUrl: await refusalUrlFor(deps, { customerId, address, now, page: 'no-reminders' }) }
      : {}
  const mail = {
    ...{ mailId, ...renderMail(words, { traderName: printable(trader.name), colour: look?.colour }), date: createdAt },
    to: { name, address },
    from: { name: trader.name, replyTo: trader.email },
    ...unsubscribe,
  }
  const linkRevision = link.revision
  if (kind.attachesContract !== true || contractNumber === null) return { mail, linkRevision }
  const contract = { partnerId, customerId, contractNumber, format: 'pdf' } as const
  const document = await findContractDocument(db, cipher, contract)
  if (document === undefined) throw new Error('a contract has no document')
  const attachment = { name: `contract-${contractNumber}.pdf`, type: 'application/pdf', bytes: document.bytes }
  return { mail: { ...mail, attachment }, linkRevision }
}

/** What everybody is called: somebody else can have given the name or, just now, the address, and a name can be a sentence. */
function firstWord(firstName: string): string {
  return firstName.split(/\s/u, 1)[0] ?? ''
}

/**
 * The link to the tenant's pages that an e-mail brings. It is made when the e-mail leaves, so that it always opens
 * something. Whoever has no pages any more gets the permanent address, unless the e-mail is for the link.
 */
async function linkIn(
  deps: TenantMailingDependencies,
  { kind, partnerId, customerId }: LeasedTenantMail,
  { content, now }: { content: MailContent; now: Date },
): Promise<(FilledIn['pages'] & { revision: number | null }) | 'obsolete'> {
  const none = { url: tenantPagesAddress(deps.contractUrlPolicy.publicUrl), expiresAt: null, revision: null }
  if (!content.parts.some((part) => typeof part === 'object' && 'opens' in part && part.opens === 'pages')) return none
  const { isLink, isReminder } = tenantMailKind(kind)
  const db = deps.databases.forPartner(partnerId, origin)
  const stored = await findQuoteOfCustomer(db, deps.cipher, partnerId, customerId)
  const quote = stored && asOf(stored, now)
  const tenant = quote?.tenants.find(({ tenantId }) => tenantId === customerId)
  if (quote === undefined || tenant === undefined) return isLink || isReminder ? 'obsolete' : none
  if (isReminder && (!maySign(quote, tenant) || (kind === 'lock_ending' && quote.stage !== 'active'))) return 'obsolete'
  if (kind === 'asked_to_lead' && !needsLead(quote)) return 'obsolete'
  const current = await findOnboardingRevision(db, { partnerId, customerId })
  // The first link works beside the one that the partner got for the tenant. Any other ends both once it is opened.
  const revision = kind === 'link' ? current : current + 1
  try {
    return { ...(await signOnboardingLink(deps, { quote, customerId, now }, revision)), revision }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return isLink || isReminder ? 'obsolete' : none
  }
}

async function refusalUrlFor(
  { cipher, refusalLinks, contractUrlPolicy: { publicUrl } }: TenantMailingDependencies,
  about: { customerId: Id<'tenant'>; address: string; now: Date; page: 'not-me' | 'no-reminders' },
): Promise<string> {
  const { customerId, address, now, page } = about
  const expiresAt = linkExpiry(now, refusalLinkDays * 86_400)
  const token = await refusalLinks.sign({ customerId, expiresAt, emailHash: emailHash(cipher, address) })
  return refusalUrl(publicUrl, { customerId, page, token })
}

/**
 * Sends what a partner's tenants are still to be sent, or what is due to this one, once each. Stops at the first e-mail
 * that the mail server cannot take at present. Returns what kept e-mails from being written.
 */
export async function sendTenantMailsOf(
  deps: TenantMailingDependencies,
  partnerId: Id<'partner'>,
  customerId?: Id<'tenant'>,
): Promise<unknown[]> {
  const attempted: Id<'mail'>[] = []
  const errors: unknown[] = []
  for (;;) {
    const of = { partnerId, customerId, attempted }
    const leased = await leaseDueTenantMail(deps.databases.system, deps.clock.now(), of)
    if (leased === undefined) break
    const { isServerUsable, error } = await sendTenantMail(deps, leased)
    if (error !== undefined) errors.push(error)
    if (!isServerUsable) break
    attempted.push(leased.mailId)
  }
  return errors
}
