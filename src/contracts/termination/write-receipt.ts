import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { envelopeLines } from '../../quoting/quotes/quote.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { EndReason } from '../contract.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import { type MailContent, queueTenantMails } from '../mails/tenant-mails.store.ts'
import { printable } from '../printable.ts'
import { type Letter, writeLetter } from '../tenant-letter.ts'
import type { ContractToEnd, DatedNotice } from './contract-to-end.ts'
import type { Settlement } from './settle-contract.ts'

/** How a tenant's contract ends before its agreed last day. */
type EarlyEndReason = Extract<EndReason, 'withdrawn' | 'cancelled' | 'notice' | 'replaced'>

/** What a receipt tells. */
interface ReceiptFacts extends Pick<Letter, 'tenantName' | 'operator' | 'environment'> {
  contractNumber: string
  addressLines: readonly string[]
  endReason: EarlyEndReason
  notice: DatedNotice
  lastDay: IsoDate
  settlement: Settlement
}

/**
 * The receipt for the end of a contract (CCR 2013, reg. 32(4)): what we were told and when, how the contract ends, and
 * what is owed or paid back. Pure: the same facts give the same words.
 */
function writeReceipt(facts: ReceiptFacts): MailContent {
  const { contractNumber, endReason, lastDay, notice, settlement, operator } = facts
  const isOver = endReason === 'cancelled' || endReason === 'withdrawn'
  return writeLetter({
    ...facts,
    subject: isOver
      ? `Your contract ${contractNumber} is cancelled`
      : `Your contract ${contractNumber} ends on ${dayInWords(lastDay)}`,
    paragraphs: [
      whatHappened[endReason](printable(operator.trader.name)),
      [
        `Contract number: ${contractNumber}`,
        `Home: ${facts.addressLines.map(printable).join(', ')}`,
        ...(endReason === 'replaced' ? [] : receivedOn(notice)),
        ...(isOver ? [] : [`Last day of the contract: ${dayInWords(lastDay)}`]),
      ].join('\n'),
      'WHAT YOU PAY',
      whatIsOwed(settlement).join('\n'),
      'If you did not ask for this, or have a question, reply to this e-mail or call us.',
    ],
  })
}

const whatHappened: Record<EarlyEndReason, (trader: string) => string> = {
  withdrawn: (trader) =>
    `We have received your message: you do not want the contract with ${trader} for your household bills. It had not taken effect, and now it will not.`,
  cancelled: (trader) =>
    `We have received your message: you cancel your contract with ${trader} for your household bills. The contract is cancelled.`,
  notice: (trader) =>
    `We have received your notice: you end your contract with ${trader} for your household bills before its agreed last day.`,
  replaced: (trader) =>
    `Somebody takes over your share of your household bills, so your contract with ${trader} ends before its agreed last day.`,
}

function receivedOn({ sentOn, informedOn }: DatedNotice): string[] {
  return [`Sent by you on: ${dayInWords(sentOn)}`, `Received by us on: ${dayInWords(informedOn)}`]
}

function whatIsOwed(settlement: Settlement): string[] {
  const { supplyCost, setUpCost, fee, total, alreadyPaid, refund, refundBy, due, lastPayment } = settlement
  const planned = due - (lastPayment?.amount ?? 0)
  return [
    ...(total === 0
      ? ['You owe nothing.']
      : [
          `Supply: ${formatPounds(supplyCost)}`,
          ...(setUpCost > 0 ? [`Set-up: ${formatPounds(setUpCost)}`] : []),
          ...(fee > 0 ? [`Exit fee: ${formatPounds(fee)}`] : []),
          `In total: ${formatPounds(total)}`,
        ]),
    ...(alreadyPaid > 0 ? [`You have paid: ${formatPounds(alreadyPaid)}`] : []),
    ...(refundBy === null ? [] : [`We pay back ${formatPounds(refund)} by ${dayInWords(refundBy)}.`]),
    ...(planned > 0 ? ['We take the planned payments that this total still needs. All others are cancelled.'] : []),
    ...(lastPayment === null
      ? []
      : [`We take your last payment, ${formatPounds(lastPayment.amount)}, on ${dayInWords(lastPayment.date)}.`]),
  ]
}

/** What receipts are made from. */
export type ReceiptDependencies = Pick<ContractDependencies, 'cipher' | 'operator' | 'realm' | 'confirmsByDefault'>

/**
 * Sends the tenant a receipt for the end of their contract, whoever acted: their partner or the operator. Does nothing
 * in a deployment that sends no e-mail. The caller holds the quote's row lock.
 */
export async function sendReceipt(
  tx: Tx,
  { cipher, operator, realm, confirmsByDefault }: ReceiptDependencies,
  { partnerId, now }: Pick<Caller, 'partnerId' | 'now'>,
  { quote, customer, contract: { customerId, contractNumber } }: ContractToEnd,
  told: Pick<ReceiptFacts, 'endReason' | 'lastDay' | 'notice' | 'settlement'>,
): Promise<void> {
  // The operator confirms contracts by default exactly where e-mail is set up.
  if (confirmsByDefault !== 'operator') return
  const content = writeReceipt({
    ...told,
    ...{ contractNumber, operator, environment: realm },
    tenantName: fullName(customer.personal),
    addressLines: envelopeLines(quote.address),
  })
  await queueTenantMails(tx, cipher, { partnerId, now }, [
    { kind: 'contract_ending', customerId, contractNumber, content },
  ])
}
