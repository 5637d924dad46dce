import { recordContractChange } from '../../events/operator-feeds/record-contract-change.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Mail, MailSender } from '../../platform/mail/mail-sender.ts'
import { attemptMail, type MailAttempt } from '../../platform/mail/send-due-mails.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import { findCustomer } from '../../quoting/tenants/customers.store.ts'
import { findContractDocument } from '../contract-documents.store.ts'
import { recordConfirmationSent } from '../contracts.store.ts'
import { tenantMailKind } from './tenant-mail-kinds.ts'
import {
  findMailContent,
  type LeasedTenantMail,
  leaseDueTenantMail,
  recordTenantMailOutcome,
} from './tenant-mails.store.ts'

export interface TenantMailingDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  mailSender: MailSender
  /** Who the e-mails are from, and where a tenant's answer goes. */
  trader: { name: string; email: string }
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

type SendingAttempt = MailAttempt & { isServerUsable: boolean }

async function send(deps: TenantMailingDependencies, leased: LeasedTenantMail): Promise<SendingAttempt> {
  const { mailId, partnerId, kind, clockOffsetSeconds } = leased
  const db = deps.databases.forPartner(partnerId, { actor: 'worker', operation: 'sendTenantMail' })
  const mail = await compose(deps, leased)
  const { outcome, failure } =
    mail === undefined ? { outcome: 'obsolete' as const } : await attemptMail(deps.mailSender, mail, leased)
  if (outcome !== 'failed') {
    const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
    await inTransaction(db, {}, async (tx) => {
      const shown = { partnerId, contractNumbers: [leased.contractNumber], change: 'confirmation_sent' } as const
      if (outcome === 'sent' && tenantMailKind(kind).confirmsContract)
        await recordContractChange(tx, shown, (recorded) => recordConfirmationSent(tx, recorded, leased, now))
      await recordTenantMailOutcome(tx, leased, outcome, now)
    })
  }
  const reason = failure === undefined ? {} : { reason: failure.reason }
  return { mailId, partnerId, kind, outcome, ...reason, isServerUsable: failure?.kind !== 'unavailable' }
}

/** The e-mail as it is sent; undefined if there is nobody to send it to any more. */
async function compose(
  { databases, cipher, trader }: TenantMailingDependencies,
  leased: LeasedTenantMail,
): Promise<Mail | undefined> {
  const { mailId, partnerId, customerId, contractNumber, kind, createdAt } = leased
  const db = databases.forPartner(partnerId, { actor: 'worker', operation: 'sendTenantMail' })
  const content = await findMailContent(db, cipher, leased)
  const customer = await findCustomer(db, cipher, { partnerId, now: createdAt }, customerId)
  if (content === undefined || customer === undefined || customer.erasedAt !== null) return undefined
  const { personal } = customer
  const mail = {
    ...{ mailId, ...content, date: createdAt },
    to: { name: fullName(personal), address: personal.email },
    from: { name: trader.name, replyTo: trader.email },
  }
  if (!tenantMailKind(kind).attachesContract) return mail
  const contract = { partnerId, customerId, contractNumber, format: 'pdf' } as const
  const document = await findContractDocument(db, cipher, contract)
  if (document === undefined) throw new Error('a contract has no document')
  return {
    ...mail,
    attachment: { name: `contract-${contractNumber}.pdf`, type: 'application/pdf', bytes: document.bytes },
  }
}

/**
 * Sends what a partner's tenants are still to be sent, once each. Stops at the first e-mail that the mail server cannot
 * take at present.
 */
export async function sendTenantMailsOf(deps: TenantMailingDependencies, partnerId: Id<'partner'>): Promise<void> {
  const attempted: Id<'mail'>[] = []
  for (;;) {
    const leased = await leaseDueTenantMail(deps.databases.system, deps.clock.now(), { partnerId, attempted })
    if (leased === undefined || !(await send(deps, leased)).isServerUsable) return
    attempted.push(leased.mailId)
  }
}
