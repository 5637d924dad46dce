import type { Caller } from '../../partners/caller.ts'
import type { Confirmer } from '../../partners/partner-settings.schema.ts'
import { listFirstPayments } from '../../payments/ledger/payment-entries.store.ts'
import type { PlannedPayment } from '../../payments/plan/payment-plan.ts'
import type { Tx } from '../../platform/db/database.ts'
import { addDays, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { cancellationDays } from '../../platform/kernel/limits.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { serviceNames } from '../../quoting/packages/services.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { envelopeLines } from '../../quoting/quotes/quote.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import { capitalised } from '../bought-services.ts'
import { startConfirming } from '../contracts.store.ts'
import { type MailContent, queueTenantMails } from '../mails/tenant-mails.store.ts'
import type { OperatorFile } from '../operator-file.ts'
import { printable } from '../printable.ts'
import { writeLetter } from '../tenant-letter.ts'

/** Who confirms contracts, and what confirmations are made from. */
interface ConfirmationDependencies {
  cipher: FieldCipher
  operator: OperatorFile
  realm: 'sandbox' | 'live'
  /** Who sends confirmations, unless the operator chose somebody else for the partner. */
  confirmsByDefault: Confirmer
}

/**
 * Begins the confirmation of each contract of the quote that takes effect at this moment: either the tenants are sent
 * one, or their partner is to send it and report that (`confirmation-sent`). The plan of payments is stored already,
 * and the caller holds the quote's row lock.
 */
export async function confirmContracts(
  tx: Tx,
  { cipher, operator, realm, confirmsByDefault }: ConfirmationDependencies,
  caller: Caller,
  { partnerId, quoteId, address, tenants }: Pick<Quote, 'partnerId' | 'quoteId' | 'address' | 'tenants'>,
): Promise<void> {
  const of = { effectiveAt: caller.now, byDefault: confirmsByDefault }
  const begun = await startConfirming(tx, { partnerId, quoteId }, of)
  const ours = begun.filter(({ confirmedBy }) => confirmedBy === 'operator')
  if (ours.length === 0) return
  const numbers = ours.map(({ contractNumber }) => contractNumber)
  const firstPayments = await listFirstPayments(tx, partnerId, numbers)
  const mails = ours.map(({ contractNumber, customerId, effectiveAt, startsOn, endsOn, price }) => {
    const tenant = tenants.find(({ tenantId }) => tenantId === customerId)
    if (tenant === undefined || effectiveAt === null)
      throw new Error('a contract took effect without a tenant or a time')
    const content = writeConfirmation({
      tenantName: fullName(tenant.personal),
      ...{ contractNumber, effectiveAt, startsOn, endsOn, operator },
      addressLines: envelopeLines(address),
      services: serviceNames().filter((service) => price?.lines.some(({ type }) => type === service)),
      isShared: tenants.length > 1,
      firstPayment: firstPayments.get(contractNumber),
      environment: realm,
    })
    return { kind: 'contract_in_force', customerId, contractNumber, content } as const
  })
  await queueTenantMails(tx, cipher, { partnerId, now: caller.now }, mails)
}

/** What a confirmation tells. */
interface ConfirmationFacts {
  tenantName: string
  contractNumber: string
  addressLines: readonly string[]
  /** The services that the household buys, such as "electricity". */
  services: readonly string[]
  effectiveAt: Date
  startsOn: PlannedPayment['date']
  endsOn: PlannedPayment['date']
  /** Whether the household has other tenants. */
  isShared: boolean
  /** The first payment that is planned; undefined if there is none. */
  firstPayment: Pick<PlannedPayment, 'date' | 'amount'> | undefined
  operator: OperatorFile
  environment: 'sandbox' | 'live'
}

/**
 * The confirmation that a contract is in force (CCR 2013, reg. 16), which goes with the contract as a PDF: since when,
 * until when the tenant can cancel and what happens next. Pure: the same facts give the same words.
 */
function writeConfirmation(facts: ConfirmationFacts): MailContent {
  const { contractNumber, effectiveAt, startsOn, endsOn, firstPayment, operator } = facts
  const { name, address, phone, email } = operator.trader
  const cancelUntil = dayInWords(addDays(londonDate(effectiveAt), cancellationDays))
  const subject = `Your contract ${contractNumber} is in force`
  const paragraphs = [
    `Your contract with ${printable(name)} for your household bills is in force.${facts.isShared ? ' Every tenant of your household has accepted.' : ''} The contract is attached as a PDF. Please keep it with this e-mail.`,
    lines([
      `Contract number: ${contractNumber}`,
      `Home: ${facts.addressLines.map(printable).join(', ')}`,
      `Services: ${capitalised(listInWords(facts.services))}`,
      `In force since: ${momentInWords(effectiveAt)}`,
      `First day: ${dayInWords(startsOn)}`,
      `Last day: ${dayInWords(endsOn)}`,
      `You can cancel until the end of: ${cancelUntil}`,
    ]),
    'YOUR RIGHT TO CANCEL',
    `You can cancel without giving any reason until the end of ${cancelUntil}. If we first sent you this e-mail later than on the day on which the contract took effect, you can cancel until the end of the ${cancellationDays}th day after we sent it.`,
    `To cancel, tell us clearly that you want to: send an e-mail to ${printable(email)}, call ${printable(phone)}, or write to ${[name, ...address].map(printable).join(', ')}. You are in time if you send your message before the period ends. The attached contract has a form that you can use, and says under “Your right to cancel” what you get back and what you pay if supply has begun by then.`,
    'WHAT HAPPENS NEXT',
    lines([
      ...[
        { date: startsOn, text: 'Your contract begins to run.' },
        ...(firstPayment === undefined
          ? []
          : [
              {
                date: firstPayment.date,
                text: `We take your first payment, ${formatPounds(firstPayment.amount)}, from your card. The contract lists the payments after it.`,
              },
            ]),
      ]
        .sort((a, b) => a.date.localeCompare(b.date))
        .map(({ date, text }) => `${dayInWords(date)}: ${text}`),
    ]),
    'If you have a question, reply to this e-mail or call us.',
  ]
  return writeLetter({ ...facts, subject, paragraphs })
}

function lines(all: readonly string[]): string {
  return all.join('\n')
}
