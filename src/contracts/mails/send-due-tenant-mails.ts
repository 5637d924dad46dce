import { recordContractChange } from '../../events/operator-feeds/record-contract-change.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { emailHashes, isTestAddress } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Mail, MailSender } from '../../platform/mail/mail-sender.ts'
import { attemptMail, type MailAttempt } from '../../platform/mail/send-due-mails.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import { findCustomer } from '../../quoting/tenants/customers.store.ts'
import { findContractDocument } from '../contract-documents.store.ts'
import { recordConfirmationSent } from '../contracts.store.ts'
import type { OperatorFile } from '../operator-file.ts'
import { printable } from '../printable.ts'
import { type TenantMailOutcome, tenantMailKind } from './tenant-mail-kinds.ts'
import { renderMail } from './tenant-mail-layout.ts'
import {
  findMailContent,
  type LeasedTenantMail,
  leaseDueTenantMail,
  listRefusals,
  recordTenantMailOutcome,
} from './tenant-mails.store.ts'

export interface TenantMailingDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  mailSender: MailSender
  /** Who the e-mails are from, where a tenant's answer goes, and how they look. */
  operator: Pick<OperatorFile, 'look'> & { trader: Pick<OperatorFile['trader'], 'name' | 'email'> }
  realm: 'sandbox' | 'live'
}

/**
 * Sends the e-mail to a tenant that has been due for longest, outside any transaction. Returns undefined if none is
 * due, or how the attempt ended and whether it is of any use to send others now. If the process is killed before it has
 * recorded the outcome, the e-mail is sent again, with the same Message-ID.
 */
export async function sendDueTenantMail(deps: TenantMailingDependencies): Promise<SendingAttempt | undefined> {
  const leased = await leaseDueTenantMail(deps.databases.system, deps.clock.now(), null)
  return leased === undefined ? undefined : send(deps, leased)
}

type SendingAttempt = Omit<MailAttempt, 'outcome'> & {
  outcome: TenantMailOutcome | 'failed'
  isServerUsable: boolean
  /** Why the e-mail could not be written. It stays due: once the cause is mended, it is sent, however late. */
  error?: unknown
}

async function send(deps: TenantMailingDependencies, leased: LeasedTenantMail): Promise<SendingAttempt> {
  const { mailId, partnerId, kind, clockOffsetSeconds } = leased
  const db = deps.databases.forPartner(partnerId, { actor: 'worker', operation: 'sendTenantMail' })
  let mail: Awaited<ReturnType<typeof compose>>
  try {
    mail = await compose(deps, leased)
  } catch (error) {
    // Another e-mail can be written although this one cannot.
    return { mailId, partnerId, kind, outcome: 'failed', isServerUsable: true, error }
  }
  const attempt = typeof mail === 'string' ? { outcome: mail } : await attemptMail(deps.mailSender, mail, leased)
  const { outcome } = attempt
  const failure = 'failure' in attempt ? attempt.failure : undefined
  if (outcome !== 'failed') {
    const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
    await inTransaction(db, {}, async (tx) => {
      const { contractNumber } = leased
      if (outcome === 'sent' && tenantMailKind(kind).confirmsContract === true && contractNumber !== null)
        await recordContractChange(
          tx,
          { partnerId, contractNumbers: [contractNumber], change: 'confirmation_sent' },
          (recorded) => recordConfirmationSent(tx, recorded, { partnerId, contractNumber }, now),
        )
      await recordTenantMailOutcome(tx, leased, outcome, now)
    })
  }
  const reason = failure === undefined ? {} : { reason: failure.reason }
  return { mailId, partnerId, kind, outcome, ...reason, isServerUsable: failure?.kind !== 'unavailable' }
}

/**
 * The e-mail as it is sent, or why it is not. Somebody at the address may have refused e-mails since it was written, or
 * the tenant may have signed, and then they get what they are to know.
 */
async function compose(
  { databases, cipher, operator: { trader, look }, realm }: TenantMailingDependencies,
  leased: LeasedTenantMail,
): Promise<Mail | 'obsolete' | 'refused' | 'test_address'> {
  const { mailId, partnerId, customerId, contractNumber, kind, createdAt } = leased
  const db = databases.forPartner(partnerId, { actor: 'worker', operation: 'sendTenantMail' })
  const content = await findMailContent(db, cipher, leased)
  const customer = await findCustomer(db, cipher, { partnerId, now: createdAt }, customerId)
  if (content === undefined || customer === undefined || customer.erasedAt !== null) return 'obsolete'
  const { personal } = customer
  const address = content.to ?? personal.email
  if (realm === 'live' && isTestAddress(address)) return 'test_address'
  if (contractNumber === null && customer.contractNumber === null) {
    const refusals = await listRefusals(db, partnerId, emailHashes(cipher, address))
    if (refusals.size > 0) return 'refused'
  }
  const mail = {
    ...{
      mailId,
      ...renderMail(content, { traderName: printable(trader.name), colour: look?.colour }),
      date: createdAt,
    },
    to: { name: fullName(personal), address },
    from: { name: trader.name, replyTo: trader.email },
  }
  if (tenantMailKind(kind).attachesContract !== true || contractNumber === null) return mail
  const contract = { partnerId, customerId, contractNumber, format: 'pdf' } as const
  const document = await findContractDocument(db, cipher, contract)
  if (document === undefined) throw new Error('a contract has no document')
  return {
    ...mail,
    attachment: { name: `contract-${contractNumber}.pdf`, type: 'application/pdf', bytes: document.bytes },
  }
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
    const { isServerUsable, error } = await send(deps, leased)
    if (error !== undefined) errors.push(error)
    if (!isServerUsable) break
    attempted.push(leased.mailId)
  }
  return errors
}
