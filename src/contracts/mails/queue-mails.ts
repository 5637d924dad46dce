import type { Confirmer } from '../../partners/partner-settings.schema.ts'
import type { Origin } from '../../platform/db/access.ts'
import type { Tx } from '../../platform/db/database.ts'
import { emailHashes } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { envelopeLines, type Quote } from '../../quoting/quotes/quote.ts'
import type { PersonalDetails } from '../../quoting/tenants/customer.ts'
import type { MailActor } from '../contract.ts'
import { tenantPagesAddress } from '../links/issue-onboarding-link.ts'
import type { ContractUrlPolicy } from '../links/link-token.ts'
import { type OperatorFile, privacyAddress } from '../operator-file.ts'
import { printable } from '../printable.ts'
import { type TenantMailKindName, tenantMailKind } from './tenant-mail-kinds.ts'
import {
  type MailContext,
  type MailWords,
  type TenantMailFacts,
  tenantMailWords,
  wholeMail,
} from './tenant-mail-words.ts'
import { findMailing, insertTenantMails, listRecipients, listRefusals, type Mailing } from './tenant-mails.store.ts'

/** What e-mails to tenants are made from. */
export interface TenantMailDependencies {
  cipher: FieldCipher
  operator: OperatorFile
  realm: 'sandbox' | 'live'
  /**
   * Who sends tenants the confirmations of their contracts, unless the operator chose somebody else for the partner. It
   * is the operator exactly where e-mail is set up.
   */
  confirmsByDefault: Confirmer
  contractUrlPolicy: Pick<ContractUrlPolicy, 'publicUrl'>
  /** After how many days an offer that came to nothing is deleted, with its tenants' data. */
  abandonedQuoteDays: number
}

/** An e-mail of one kind to a tenant. */
interface MailOf<Kind extends TenantMailKindName> {
  kind: Kind
  customerId: Id<'tenant'>
  personal: Pick<PersonalDetails, 'email' | 'contactPermission'>
  facts: TenantMailFacts<Kind>
  /** The contract that it is about, if that is not the one that the customer agreed to last. */
  contractNumber?: string
  /** What it is about, if the customer is sent an e-mail of this kind about it once only. */
  once?: string
  /** The address that it goes to, whatever the customer's is when it is sent. */
  to?: string
}

/** An e-mail of any kind to a tenant. */
export type MailToTenant = { [Kind in TenantMailKindName]: MailOf<Kind> }[TenantMailKindName]

/**
 * What became of an e-mail. Before a customer has a contract, one that they did not ask for is sent if the partner has
 * this deployment write to its tenants and recorded that this one allowed it (`not_permitted`), and none is sent to an
 * address that refused them (`refused`). Whom a housemate named and who does not open their pages is sent nothing after
 * a fortnight, unless the partner or the operator acts. `not ours`: this deployment sends no e-mail, or the partner
 * sends this one.
 */
export type QueuedMail = 'queued' | 'refused' | 'not_permitted' | 'not ours'

/**
 * Notes what tenants of a quote are to be sent, in the transaction of what it tells them. Everybody who acts calls
 * this, whoever they are: the rules of who is written to are here. One that is sent once only is also listed if it is
 * not permitted, so that nobody tries again. Returns what became of each. `now` is on the partner's clock.
 */
export async function queueMails(
  tx: Tx,
  deps: TenantMailDependencies,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  { address, sendEmails }: Pick<Quote, 'address' | 'sendEmails'>,
  mails: readonly MailToTenant[],
): Promise<QueuedMail[]> {
  if (deps.confirmsByDefault !== 'operator' || mails.length === 0) return mails.map(() => 'not ours')
  const { cipher } = deps
  const hashesOf = ({ to, personal }: MailToTenant) => emailHashes(cipher, to ?? personal.email)
  const customerIds = mails.map(({ customerId }) => customerId)
  const [mailing, recipients, refusals] = await Promise.all([
    findMailing(tx, partnerId),
    listRecipients(tx, { partnerId, now }, customerIds),
    listRefusals(tx, partnerId, mails.flatMap(hashesOf)),
  ])
  const judge = (mail: MailToTenant, isCustomer: boolean): QueuedMail => {
    const { partnerMaySend, isAskedFor } = tenantMailKind(mail.kind)
    if (partnerMaySend === true && mailing.confirmations === 'partner') return 'not ours'
    if (isCustomer) return 'queued'
    const isPermitted = sendEmails && mail.personal.contactPermission !== null
    const isByOthers = mailing.actor === 'client' || mailing.actor === 'operator'
    const isSilent = recipients.get(mail.customerId)?.isSilent === true && !isByOthers
    if (isAskedFor !== true && (!isPermitted || isSilent)) return 'not_permitted'
    // Nobody knows the address of a tenant who was added without one.
    if ((mail.to ?? mail.personal.email) === '') return 'not_permitted'
    return hashesOf(mail).some((hash) => refusals.has(hash)) ? 'refused' : 'queued'
  }
  const context = contextOf(deps, mailing, address)
  const judged = mails.map((mail) => {
    const contractNumber = mail.contractNumber ?? recipients.get(mail.customerId)?.contractNumber ?? null
    const became = judge(mail, contractNumber !== null)
    const { kind, customerId, once = null, to } = mail
    const content = { ...write(deps, context, mail), ...(to === undefined ? {} : { to }) }
    return { kind, customerId, contractNumber, once, content, became }
  })
  const rows = judged.flatMap(({ became, ...mail }) =>
    became === 'not ours' || (became === 'not_permitted' && mail.once === null)
      ? []
      : [{ ...mail, outcome: became === 'queued' ? null : became }],
  )
  if (rows.length > 0) await insertTenantMails(tx, cipher, { partnerId, now }, rows)
  return judged.map(({ became }) => became)
}

const actors: Partial<Record<Origin['actor'], MailActor>> = {
  tenant: 'tenant',
  client: 'partner',
  operator: 'operator',
}

/** Whom e-mails name for somebody who acts; null for nobody. */
export function actorOf(actor: Origin['actor'] | null): MailActor | null {
  return (actor === null ? undefined : actors[actor]) ?? null
}

function contextOf(
  { operator: { trader }, contractUrlPolicy: { publicUrl }, abandonedQuoteDays }: TenantMailDependencies,
  { partnerName, actor }: Mailing,
  address: Quote['address'],
): MailContext {
  return {
    partnerName: printable(partnerName),
    trader: {
      name: printable(trader.name),
      phone: printable(trader.phone),
      email: printable(trader.email),
      address: trader.address.map(printable),
    },
    privacyUrl: privacyAddress(publicUrl),
    abandonedQuoteDays,
    home: envelopeLines(address).map(printable).join(', '),
    actor: actorOf(actor),
  }
}

function write(
  { operator, realm, contractUrlPolicy: { publicUrl } }: TenantMailDependencies,
  context: MailContext,
  { kind, facts }: MailToTenant,
): MailWords {
  // The row of a kind takes the facts of that kind.
  const words = (tenantMailWords[kind] as (facts: object, context: MailContext) => MailWords)(facts, context)
  return wholeMail(words, context, {
    isSample: realm === 'sandbox' || operator.sample === true,
    pagesUrl: tenantPagesAddress(publicUrl),
  })
}
