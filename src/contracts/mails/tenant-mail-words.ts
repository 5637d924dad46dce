import type { AfterFailure } from '../../payments/collecting/after-failure.ts'
import type { PlannedPayment } from '../../payments/plan/plan-payments.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, type Pence, pence } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { serviceRow } from '../../quoting/packages/services.ts'
import { cancellationDays, lastDayOfRightToCancel } from '../../quoting/quotes/quote-policy.ts'
import { capitalised } from '../bought-services.ts'
import type { MailActor, PublicCause } from '../contract.ts'
import { printable } from '../printable.ts'
import type { SupplyNews } from '../supply/supply-in-words.ts'
import type { DatedNotice } from '../termination/contract-to-end.ts'
import type { Settlement } from '../termination/settle-contract.ts'
import { failureInWords } from '../terms/fees-in-words.ts'
import type { TenantMailKindName } from './tenant-mail-kinds.ts'
import type { MailPart, StoredPart } from './tenant-mail-layout.ts'

/** What every e-mail can name. All texts print on one line. */
export interface MailContext {
  partnerName: string
  trader: { name: string; phone: string; email: string; address: readonly string[] }
  /** Where everybody reads how data is used. */
  privacyUrl: string
  /** After how many days an offer that came to nothing is deleted, with its tenants' data. */
  abandonedQuoteDays: number
  /** The home as on an envelope, on one line. */
  home: string
  /** Who acts in the transaction in which the e-mail is written; null for a job. */
  actor: MailActor | null
}

/** The subject and the parts of an e-mail, without what all of them begin and end with. */
export interface MailWords {
  subject: string
  parts: readonly StoredPart[]
  /** The last day on which it is of use; by default it is always. */
  until?: IsoDate
}

/** The figures and days of a contract that took effect. */
export interface ConfirmedContract {
  contractNumber: string
  /** The services that the household buys, such as "electricity". */
  services: readonly string[]
  effectiveAt: Date
  startsOn: IsoDate
  endsOn: IsoDate
  /** Whether the household has other tenants. */
  isShared: boolean
  /** Whether the tenant took over a share, so that we supply the home already. */
  takesOver: boolean
  /** Whether the energy of the home is paid for with a key, card or app at present. */
  isPrepaid: boolean
  /** The first payment that is planned, and whether it is the only one; undefined if there is none. */
  firstPayment: (Pick<PlannedPayment, 'date' | 'amount'> & { isOnly: boolean }) | undefined
}

/** A tenant who has not signed the offer as it is. */
interface Unsigned {
  /** Whether a contract that they agreed to before came to nothing. */
  hasSignedBefore: boolean
}

const signedBefore =
  'What you signed before never took effect, so nobody owes anything under it, and you would have to sign again.'

/** What a tenant is asked about the end of their tenancy. */
interface AskedAboutEnd {
  lastDay: IsoDate
  closesOn: IsoDate
  /** Whether the household's tenancy was said to end; otherwise the partner said so of this tenant alone. */
  isHousehold: boolean
  /** Whether one tenant's notice ends the tenancy for all. */
  endsForAll: boolean
  isAgain: boolean
}

function withoutAnswer({ lastDay, closesOn, isHousehold, endsForAll }: AskedAboutEnd): string {
  if (!isHousehold) return `Your contract ends on ${dayInWords(closesOn)}.`
  if (!endsForAll) return 'Your contract goes on, and we ask you in person.'
  return `In a joint assured tenancy in England, one tenant’s notice ends the tenancy for all. If others confirm the day, your contract ends on ${dayInWords(lastDay)} too. Otherwise it goes on, and we ask you in person.`
}

/** A contract that ends or has ended before its agreed last day. */
export interface EndedEarly {
  contractNumber: string
  lastDay: IsoDate
  notice: DatedNotice
  settlement: Settlement
}

/** A notice, and what everybody may know of its cause. */
interface NoticeReceived extends EndedEarly {
  reason: PublicCause | 'notice'
  isMoved: boolean
  /** Whether the tenant was asked and did not answer, so that they gave no notice. */
  isSilent?: boolean
}

const noticeInWords: Readonly<Record<NoticeReceived['reason'], string>> = {
  notice: 'We have received your notice:',
  tenancy_ended: 'We were told that your tenancy ends, so',
  tenancy_did_not_start: 'We were told that your tenancy did not start, so',
  property_uninhabitable: 'We were told that nobody can live in your home, so',
}

/** A household whose first day moved. */
interface StartMoved {
  wasFirstDay: IsoDate
  firstDay: IsoDate
  lastDay: IsoDate
  /** The contract that ended for it; undefined if the tenant had none in force. */
  had: Pick<EndedEarly, 'contractNumber' | 'settlement'> | undefined
  hasSigned: boolean
}

/** What has changed about the supply of a service to a home. */
interface SupplyChange {
  service: string
  isMetered: boolean
  /** Null if what was told before is no longer so, and nothing has come of it. */
  news: SupplyNews | null
  state: string
  isCorrection: boolean
  answerBy: IsoDate | null
  resolveBy: IsoDate | null
}

const doNotTopUp =
  'Do not top up with a key, card or app that you found in the home: you could pay somebody else’s debt. Tell the supplier the day you moved in first.'

const supplySubjects: Readonly<Record<SupplyNews | 'corrected', string>> = {
  began: 'begins with us',
  delayed: 'is delayed',
  refused: 'cannot begin as planned',
  moved_by_mistake: 'was moved by mistake',
  corrected: 'is not as we wrote',
}

/**
 * The words of every kind of e-mail to tenants. They state facts and what can be done, without urgency, and advertise
 * nothing. Pure: the same facts give the same words.
 */
export const tenantMailWords = {
  link: (
    { services, namedBy = null, isAlone }: { services: readonly string[]; namedBy?: string | null; isAlone: boolean },
    { partnerName, trader, home, actor, privacyUrl, abandonedQuoteDays },
  ) => ({
    subject: isAlone ? 'Your household bills' : 'Your share of the household bills',
    parts: [
      `${actor === 'tenant' ? `${namedBy ?? 'Another tenant'} has named you as a tenant of ${home}. ${partnerName}` : `${partnerName} has named you as a tenant of ${home}, and`} has asked us, ${trader.name}, to set up the household bills${services.length === 0 ? '' : ` for ${listInWords(services)}`}.`,
      isAlone
        ? 'On your pages you can see what they would cost, what they include and when they would begin. Nothing is agreed until you sign.'
        : 'On your pages you can see what your share would cost, what it includes and when it would begin. Nothing is agreed until you sign. You would owe us your own share only: we never ask you for a housemate’s.',
      { button: 'See your bills', opens: 'pages' },
      { untilLinkEnds: 'It is for you only, so do not pass it on.' },
      { heading: 'What happens with your data' },
      `${actor === 'tenant' ? (namedBy ?? 'That tenant') : partnerName} gave us your name and e-mail address so that we can write to you about these bills. We use them for nothing else. If no contract comes of it, we delete them ${abandonedQuoteDays} days after the offer ends.`,
      `${trader.name} decides how your data is used for your bills and your contract, and ${partnerName} about its own list of tenants.`,
      { link: 'How we use your data, and how to complain', url: privacyUrl },
    ],
  }),

  fresh_link: (_: object, { trader }) => ({
    subject: 'Your fresh link',
    parts: [
      `You asked for a fresh link to your pages at ${trader.name}.`,
      { button: 'Open your pages', opens: 'pages' },
      { untilLinkEnds: 'It is for you only, so do not pass it on. Once you open it, no earlier link works.' },
      'If you did not ask for it, you need do nothing.',
    ],
  }),

  confirmation_code: ({ code }: { code: string }, { trader }) => ({
    subject: `${code} is your code`,
    parts: [
      `Enter this code on your pages at ${trader.name}:`,
      { code },
      'It works for 10 minutes. Do not tell it to anybody: we never ask for it by telephone or e-mail.',
      'If you did not ask for it, you need do nothing.',
    ],
  }),

  nudge: ({ hasSignedBefore }: Unsigned, { home }) => ({
    subject: 'Your household bills are not set up yet',
    parts: [
      hasSignedBefore
        ? `We write about the household bills of ${home}. ${signedBefore}`
        : `You have opened your pages about the household bills of ${home}, and have not signed.`,
      { whatIsLeft: 'to read the contract and agree to it' },
      { button: 'Go on', opens: 'pages' },
      { untilLinkEnds: 'If you do not want the contract, you need do nothing: nothing is agreed until you sign.' },
    ],
  }),

  asked_to_lead: (_: object, { home }) => ({
    subject: 'Will you lead your household?',
    parts: [
      `Whoever led the household at ${home} has left. The lead tenant says when everybody is on the list, can add, correct and remove housemates until then, and may choose a later first day. It costs nothing more, and nobody pays for another.`,
      'You are next on the list. You can agree on your pages, under “Your household”. Until somebody does, the company that named you can do this for you.',
      { button: 'See your household', opens: 'pages' },
      { untilLinkEnds: 'If you do not want to lead, you need do nothing.' },
    ],
  }),

  lock_ending: (
    { lastDay, isAlone, hasSignedBefore }: Unsigned & { lastDay: IsoDate; isAlone: boolean },
    { home },
  ) => ({
    until: lastDay,
    subject: `${isAlone ? 'You' : 'Your household'} can sign until ${dayInWords(lastDay)}`,
    parts: [
      `The prices and dates of the household bills of ${home} are kept until the end of ${dayInWords(lastDay)}. ${hasSignedBefore ? signedBefore : 'You have not signed.'}`,
      isAlone
        ? 'If you do not sign by then, you have no contract and pay nothing.'
        : 'If not everyone in your household signs by then, nobody has a contract and nobody pays.',
      { button: 'Read and sign', opens: 'pages' },
      { untilLinkEnds: 'If you do not want the contract, you need do nothing.' },
    ],
  }),

  card_declined: (
    { payment }: { payment: { date: IsoDate; amount: Pence; after: AfterFailure | null } | null },
    { home },
  ) => ({
    subject: payment === null ? 'Your card was not accepted' : 'A payment did not go through',
    parts: [
      payment === null
        ? `The card that you entered for the household bills of ${home} was not accepted. No money was taken.`
        : `We could not take your payment of ${formatPounds(payment.amount)}, due on ${dayInWords(payment.date)}, for the household bills of ${home}.`,
      ...(payment?.after ? [failureInWords(payment.after)] : []),
      'On your pages you can enter another card, or the same card again if your bank had declined it and now allows it.',
      { button: 'Enter a card', opens: 'pages' },
      { untilLinkEnds: '' },
    ],
  }),

  contract_in_force: (facts: ConfirmedContract, { partnerName, trader, home }) => {
    const { contractNumber, effectiveAt, startsOn, endsOn, firstPayment } = facts
    const cancelUntil = dayInWords(lastDayOfRightToCancel(londonDate(effectiveAt)))
    return {
      subject: `Your contract ${contractNumber} is in force`,
      parts: [
        `Your contract with ${trader.name} for your household bills is in force.${facts.isShared ? ' Every tenant of your household has accepted.' : ''} The contract is attached as a PDF. Please keep it with this e-mail.`,
        {
          rows: [
            ['Contract number', contractNumber],
            ['Home', home],
            ['Services', capitalised(listInWords(facts.services))],
            ['Set up through', partnerName],
            ['In force since', momentInWords(effectiveAt)],
            ['First day', dayInWords(startsOn)],
            ['Last day', dayInWords(endsOn)],
            ['You can cancel until the end of', cancelUntil],
          ],
        },
        { heading: 'Your right to cancel' },
        `You can cancel without giving any reason until the end of ${cancelUntil}. If we first sent you this e-mail later than on the day on which the contract took effect, you can cancel until the end of the ${cancellationDays}th day after we sent it.`,
        `To cancel, tell us clearly that you want to: cancel on your pages, send an e-mail to ${trader.email}, call ${trader.phone}, or write to ${[trader.name, ...trader.address].join(', ')}. You are in time if you send your message before the period ends. The attached contract has a form that you can use, and says under “Your right to cancel” what you get back and what you pay if supply has begun by then.`,
        { heading: 'What happens next' },
        {
          rows: [
            {
              date: startsOn,
              text: `Your contract begins to run.${!facts.takesOver && facts.services.some((service) => serviceRow(service).metered !== null) ? ' Until then, the home’s present supplier supplies you. Read the meters on the day you get the keys, and tell that supplier your name.' : ''}${facts.isPrepaid ? ` ${doNotTopUp}` : ''}`,
            },
            ...(firstPayment === undefined
              ? []
              : [
                  {
                    date: firstPayment.date,
                    text: firstPayment.isOnly
                      ? `We take your payment, ${formatPounds(firstPayment.amount)}, from your card. There are no more payments.`
                      : `We take your first payment, ${formatPounds(firstPayment.amount)}, from your card. The contract lists the payments after it.`,
                  },
                ]),
          ]
            .sort((a, b) => a.date.localeCompare(b.date))
            .map(({ date, text }) => [dayInWords(date), text] as const),
        },
      ],
    }
  },

  payment_due: (
    facts: { date: IsoDate; amount: Pence; description: string; monthlyCost: Pence | null; heldSince?: IsoDate },
    { trader },
  ) => ({
    until: facts.date,
    subject: `Your payment on ${dayInWords(facts.date)} is ${formatPounds(facts.amount)}`,
    parts: [
      `On ${dayInWords(facts.date)} we take ${formatPounds(facts.amount)} from your card for your household bills with ${trader.name}.`,
      { rows: [['What it is for', facts.description]] },
      ...(facts.heldSince === undefined
        ? []
        : [
            `It was due on ${dayInWords(facts.heldSince)}. We did not take it then, because we had to find something out first. There is no fee for that.`,
          ]),
      ...(facts.monthlyCost === null || facts.monthlyCost === facts.amount
        ? []
        : [`Your usual payment is ${formatPounds(facts.monthlyCost)} a month.`]),
      'You need do nothing. Your pages show every payment, and there you can enter another card.',
    ],
  }),

  contract_ending: (
    facts: { contractNumber: string; lastDay: IsoDate; atTheEnd: readonly string[] },
    { partnerName, trader, home },
  ) => ({
    until: facts.lastDay,
    subject: `Your contract ends on ${dayInWords(facts.lastDay)}`,
    parts: [
      `Your contract with ${trader.name} for your household bills ends on ${dayInWords(facts.lastDay)}, as agreed.`,
      {
        rows: [
          ['Contract number', facts.contractNumber],
          ['Home', home],
          ['Last day', dayInWords(facts.lastDay)],
        ],
      },
      ...facts.atTheEnd,
      { heading: 'If you move out' },
      'You need not end the contract: it ends by itself. On its last day, read the meters and send us the readings, on your pages or by e-mail. On your pages you can also say where we can write to you afterwards and who follows you.',
      { heading: 'If you stay' },
      `To go on with one bill, ask ${partnerName} or us for a new contract. You can also choose any other supplier from the day after.`,
    ],
  }),

  /** Says neither who told us nor why, and what others answered never. */
  tenancy_end_question: (facts: AskedAboutEnd, { home }) => ({
    until: facts.closesOn,
    subject: `Does your tenancy end on ${dayInWords(facts.lastDay)}?`,
    parts: [
      `${facts.isAgain ? 'You have not answered us yet. ' : ''}We were told that your tenancy of ${home} ends on ${dayInWords(facts.lastDay)}. Is that right for you?`,
      { list: ['Yes, I leave too', 'No, I stay', 'It ends on another day'] },
      'If your tenancy ends, your contract ends with it, without a fee: you pay your share until that day and nothing for the time after. If you stay, your contract goes on.',
      { button: 'Answer', opens: 'pages' },
      { untilLinkEnds: `Your answer counts until the end of ${dayInWords(facts.closesOn)}.` },
      { heading: 'If you do not answer' },
      withoutAnswer(facts),
      'We tell nobody what you answer.',
    ],
  }),

  /** `heldUntil`: null if nobody says any more that the tenancy ends. */
  tenancy_end_outcome: ({ lastDay, heldUntil }: { lastDay: IsoDate; heldUntil: IsoDate | null }, { trader, home }) => ({
    subject: 'Your contract goes on',
    parts:
      heldUntil === null
        ? [
            `We asked you whether your tenancy of ${home} ends on ${dayInWords(lastDay)}. Nobody says so any more, so you need not answer, and your contract goes on.`,
          ]
        : [
            `We asked you whether your tenancy of ${home} ended on ${dayInWords(lastDay)}, and you have not answered. Your contract goes on.`,
            `Until ${dayInWords(heldUntil)} we take no payment that falls due after ${dayInWords(lastDay)}. If your tenancy ended, tell us before then, on your pages or by telephone: your contract then ends on your tenancy’s last day, without a fee, and ${trader.name} pays back what you paid for the time after.`,
            { button: 'Answer', opens: 'pages' },
            { untilLinkEnds: 'If you stay, you can tell us there as well.' },
          ],
  }),

  cancelled: (facts: EndedEarly & { isWithdrawn: boolean }, context) => ({
    subject: `Your contract ${facts.contractNumber} is cancelled`,
    parts: [
      facts.isWithdrawn
        ? `We have received your message: you do not want the contract with ${context.trader.name} for your household bills. It had not taken effect, and now it will not.`
        : `We have received your message: you cancel your contract with ${context.trader.name} for your household bills. The contract is cancelled.`,
      { rows: [...endedContract(facts, context), ...receivedOn(facts.notice, context)] },
      ...whatIsOwed(facts.settlement),
    ],
  }),

  /** `isMoved`: another last day was set before. */
  notice_received: ({ reason, isMoved, isSilent = false, ...facts }: NoticeReceived, context) => ({
    subject: `Your contract ${facts.contractNumber} ${isMoved ? 'now ends' : 'ends'} on ${dayInWords(facts.lastDay)}`,
    parts: [
      `${noticeInWords[reason]} your contract with ${context.trader.name} for your household bills ends before its agreed last day.${isSilent ? ' We asked you, and had no answer in time.' : ''}${isMoved ? ' This takes the place of the last day that we wrote to you before, and of what you would have paid then.' : ''}`,
      {
        rows: [
          ...endedContract(facts, context),
          ...(isSilent ? [] : receivedOn(facts.notice, context)),
          lastDayRow(facts),
        ],
      },
      ...whatIsOwed(facts.settlement),
    ],
  }),

  end_taken_back: (facts: Omit<EndedEarly, 'notice'> & { wasLastDay: IsoDate }, context) => ({
    subject: `Your contract ${facts.contractNumber} goes on until ${dayInWords(facts.lastDay)}`,
    parts: [
      `The early end of your contract with ${context.trader.name} for your household bills was taken back. It does not end on ${dayInWords(facts.wasLastDay)}: it goes on until its agreed last day.`,
      {
        rows: [
          ...endedContract(facts, context),
          lastDayRow(facts),
          ...byWhom('Taken back by', context, 'you, on your pages'),
        ],
      },
      ...whatIsOwed(facts.settlement, 'goes on'),
    ],
  }),

  start_moved: ({ wasFirstDay, firstDay, lastDay, had, hasSigned }: StartMoved, context) => ({
    subject: `Your household bills now begin on ${dayInWords(firstDay)}`,
    parts: [
      `The first day of the household bills of ${context.home} moved from ${dayInWords(wasFirstDay)} to ${dayInWords(firstDay)}. The prices are worked out anew for these days:`,
      {
        rows: [
          ['First day', dayInWords(firstDay)],
          ['Last day', dayInWords(lastDay)],
          ...byWhom('Changed by', context, 'your household'),
        ],
      },
      hasSigned
        ? 'Your details and your card are kept. Please read the new offer and agree again: until everybody in the household has, nobody has a contract for the new day.'
        : 'What you have told us is kept. Please read the new offer before you agree to it.',
      { button: 'Read the new offer', opens: 'pages' },
      { untilLinkEnds: '' },
      ...(had === undefined
        ? hasSigned
          ? [signedBefore]
          : []
        : [
            { heading: 'Your contract for the old day' },
            `Your contract ${had.contractNumber} with ${context.trader.name} ended before it began, without a fee.`,
            ...whatIsOwed(had.settlement),
          ]),
    ],
  }),

  price_withdrawn: (_: object, context) => ({
    subject: 'There is a new offer for your household bills',
    parts: [
      `We have withdrawn the price that you were shown for ${context.home}. Nobody in your household has signed, so nobody owes anything.`,
      'What you have told us is kept. Please read the new offer before you agree to it.',
      { button: 'Read the new offer', opens: 'pages' },
      { untilLinkEnds: '' },
    ],
  }),

  place_taken_over: (facts: EndedEarly, context) => ({
    subject: `Your contract ${facts.contractNumber} ends on ${dayInWords(facts.lastDay)}`,
    parts: [
      `Your place was taken over: somebody else has your share of the household bills from the day after, so your contract with ${context.trader.name} ends before its agreed last day.`,
      {
        rows: [
          ...endedContract(facts, context),
          lastDayRow(facts),
          ...byWhom('Arranged by', context, 'the tenant who takes over, on their pages'),
        ],
      },
      ...whatIsOwed(facts.settlement),
    ],
  }),

  share_ended: ({ whose, lastDay }: { whose: string; lastDay: IsoDate }, context) => ({
    subject: `${whose}'s contract for the household bills ends`,
    parts: [
      `${whose}'s contract for the household bills of ${context.home} ends. Its last day is ${dayInWords(lastDay)}.`,
      'Your own contract goes on, and what you pay stays the same.',
    ],
  }),

  details_changed: ({ changed }: { changed: readonly string[] }, context) => ({
    subject: 'Your details were changed',
    parts: [
      `Your details for the household bills of ${context.home} were changed: ${listInWords(changed)}.`,
      { rows: byWhom('Changed by', context, 'you, on your pages') },
      'If this is not right, tell us.',
    ],
  }),

  /** Goes to the address before and the address after. */
  email_changed: ({ isOldAddress }: { isOldAddress: boolean }, context) => ({
    subject: 'Your e-mail address was changed',
    parts: [
      isOldAddress
        ? `The e-mail address for the household bills of ${context.home} was changed. This is the last e-mail about them that we send to this address.`
        : `The e-mail address for the household bills of ${context.home} was changed. From now on we write to this address.`,
      { rows: byWhom('Changed by', context, 'you, on your pages') },
      'Links to your pages from before no longer work. If this is not right, tell us.',
    ],
  }),

  card_changed: ({ lastFour, actor }: { lastFour: string | null; actor: MailActor | null }, context) => ({
    subject: 'Your card was changed',
    parts: [
      `Payments for the household bills of ${context.home} are now taken from another card${lastFour === null ? '' : `, which ends in ${lastFour}`}.`,
      { rows: byWhom('Asked for by', { ...context, actor }, 'you, on your pages') },
      'If this is not right, tell us.',
    ],
  }),

  payment_put_back: (
    { amount, date, description }: { amount: number; date: IsoDate; description: string },
    context,
  ) => ({
    subject: 'A payment of your household bills is owed again',
    parts: [
      `A payment for ${context.home} did not reach us in the end, or went back to you, so it is owed again. We take it from your card:`,
      {
        rows: [
          ['What it pays for', description],
          ['Amount', formatPounds(pence(amount))],
          ['Taken on', dayInWords(date)],
        ],
      },
      'It is no new charge. If this is not right, tell us.',
    ],
  }),
  payment_waived: ({ amount, description }: { amount: number; description: string }, context) => ({
    subject: 'You no longer have to make a payment of your household bills',
    parts: [
      `We do not ask for this payment for ${context.home}:`,
      {
        rows: [
          ['What it was for', description],
          ['Amount', formatPounds(pence(amount))],
        ],
      },
      'Your other payments stay as they are.',
    ],
  }),
  /** `rows` are the days as they are now. `byAnother`: the tenant who acted is not the one who is written to. */
  dates_changed: (
    { rows, byAnother = false }: { rows: readonly (readonly [string, string])[]; byAnother?: boolean },
    context,
  ) => ({
    subject: 'Dates of your household bills were changed',
    parts: [
      `Dates of the household bills of ${context.home} were changed. These are the dates now:`,
      { rows },
      {
        rows: byWhom('Changed by', context, byAnother ? 'the lead tenant of your household' : 'you, on your pages'),
      },
      'If this is not right, tell us.',
    ],
  }),

  /** `presentSuppliers` are those who supply the home until the first day, where they are known. */
  moving_in: (
    facts: {
      moveInDate: IsoDate
      startsOn: IsoDate
      isShared: boolean
      presentSuppliers: readonly (readonly [service: string, supplier: string | null])[]
    },
    { trader, home },
  ) => {
    const dayBefore = addDays(facts.startsOn, -1)
    const names = facts.isShared ? 'the names of everybody who moves in' : 'your name'
    return {
      until: facts.moveInDate,
      subject: `Before you move in on ${dayInWords(facts.moveInDate)}`,
      parts: [
        `You move into ${home} on ${dayInWords(facts.moveInDate)}. From ${dayInWords(facts.startsOn)}, ${trader.name} supplies it under your contract.`,
        {
          rows: facts.presentSuppliers.map(
            ([service, supplier]) =>
              [
                `${capitalised(service)} until ${dayInWords(dayBefore)}`,
                supplier === null
                  ? 'the home’s present supplier: ask your landlord or agent who it is'
                  : printable(supplier),
              ] as const,
          ),
        },
        ...(facts.moveInDate < facts.startsOn
          ? [`You pay the present supplier for ${dayInWords(facts.moveInDate)} to ${dayInWords(dayBefore)}.`]
          : []),
        { heading: 'On the day of the keys' },
        'Read every meter, and note its serial number. A meter with two rates shows two readings. Take a photo, and enter the readings on your pages.',
        `Tell the present supplier the day, ${names}, and the readings. Then nobody pays for somebody else’s time.`,
        { button: 'Enter the readings', opens: 'pages' },
        { untilLinkEnds: '' },
      ],
    }
  },

  /** `state` is how the supply stands now, in words. `isCorrection`: what was told before was wrong. */
  supply_changed: (facts: SupplyChange, { home }) => ({
    subject: `Your ${facts.service} ${supplySubjects[facts.news ?? 'corrected']}`,
    parts: [
      `We write about the supply of ${facts.service} to ${home}.${facts.isCorrection ? ' What we wrote about it before was wrong.' : ''} ${facts.state}`,
      ...(facts.answerBy === null || facts.resolveBy === null
        ? []
        : [
            `A supplier must first answer by ${dayInWords(facts.answerBy)}, and put it right by ${dayInWords(facts.resolveBy)}. If a supplier writes to you that you left it, or asks you to pay, tell us.`,
          ]),
      ...(facts.isMetered && (facts.news === 'delayed' || facts.news === 'refused')
        ? [
            'Your home is not cut off: until ours begins, its present supplier supplies it, and bills you for that time.',
          ]
        : []),
      ...(facts.news === 'refused'
        ? ['We look for what can be done, and write to you. You can also ask us.']
        : facts.isMetered && facts.news === 'began'
          ? ['If you have not read the meter, read it now and send us what it shows, on your pages.']
          : []),
      { button: 'See your services', opens: 'pages' },
      { untilLinkEnds: '' },
    ],
  }),
} as const satisfies Record<TenantMailKindName, (facts: never, context: MailContext) => MailWords>

/** What the words of a kind tell. */
export type TenantMailFacts<Kind extends TenantMailKindName> = Parameters<(typeof tenantMailWords)[Kind]>[0]

type Rows = readonly (readonly [name: string, value: string])[]

/** Says who did it; nothing if it was a job. */
function byWhom(name: string, { actor, partnerName, trader }: MailContext, tenant: string): Rows {
  if (actor === null) return []
  return [[name, { tenant, partner: partnerName, operator: trader.name }[actor]]]
}

function endedContract({ contractNumber }: Pick<EndedEarly, 'contractNumber'>, { home }: MailContext): Rows {
  return [
    ['Contract number', contractNumber],
    ['Home', home],
  ]
}

function lastDayRow({ lastDay }: Pick<EndedEarly, 'lastDay'>): Rows[number] {
  return ['Last day of the contract', dayInWords(lastDay)]
}

function receivedOn({ sentOn, informedOn }: DatedNotice, context: MailContext): Rows {
  return [
    ['Sent by you on', dayInWords(sentOn)],
    ['Received by us on', dayInWords(informedOn)],
    ...byWhom('Received through', context, 'your pages'),
  ]
}

function whatIsOwed(settlement: Settlement, contract: 'ends' | 'goes on' = 'ends'): MailPart[] {
  const { supplyCost, setUpCost, fee, reduction, total, alreadyPaid, waived, owedAgain, lateFees } = settlement
  const { refund, refundBy, due, lastPayment, feePayment } = settlement
  const planned = pence(due - (lastPayment?.amount ?? 0) - (feePayment?.amount ?? 0))
  const figures: Rows = [
    ...(total + reduction === 0
      ? []
      : ([
          ['Supply', formatPounds(supplyCost)],
          ...(setUpCost > 0 ? [['Set-up', formatPounds(setUpCost)] as const] : []),
          ...(fee > 0 ? [['Exit fee', formatPounds(fee)] as const] : []),
          ...(reduction > 0 ? [['Reduction of the price', `−${formatPounds(reduction)}`] as const] : []),
          ['In total', formatPounds(total)],
        ] as const)),
    ...(alreadyPaid > 0 ? [['You have paid', formatPounds(alreadyPaid)] as const] : []),
    ...(waived > 0 ? [['We do not ask for', formatPounds(waived)] as const] : []),
    ...(owedAgain > 0 ? [['Owed again; we write before we take it', formatPounds(owedAgain)] as const] : []),
    ...(lateFees > 0 ? [['Fees for failed payments, besides the total', formatPounds(lateFees)] as const] : []),
  ]
  return [
    { heading: 'What you pay' },
    ...(total + lateFees === 0 ? ['You owe nothing.'] : []),
    ...(figures.length === 0 ? [] : [{ rows: figures }]),
    ...(refundBy === null ? [] : [`We pay back ${formatPounds(refund)} by ${dayInWords(refundBy)}.`]),
    ...(planned > 0
      ? [
          contract === 'goes on'
            ? `We take the planned payments, together ${formatPounds(planned)}. Your pages show them.`
            : `We take the planned payments that this total still needs, together ${formatPounds(planned)}. All others are cancelled.`,
        ]
      : []),
    ...(lastPayment === null
      ? []
      : [`We take your last payment, ${formatPounds(lastPayment.amount)}, on ${dayInWords(lastPayment.date)}.`]),
    ...(feePayment === null
      ? []
      : [`We take the exit fee, ${formatPounds(feePayment.amount)}, on ${dayInWords(feePayment.date)}.`]),
    'If you did not ask for this, tell us.',
  ]
}

/** What an e-mail is marked with that is not about a contract in earnest. */
const sample = { subject: '[Sample] ', text: 'SANDBOX SAMPLE, NOT A CONTRACT' }

/** Where the reader can go from every e-mail. */
interface Closing {
  isSample: boolean
  /** The permanent address of the tenant's pages, which has no secret. */
  pagesUrl: string
}

/** Puts around the words what every e-mail begins and ends with. */
export function wholeMail(
  { subject, parts, ...rest }: MailWords,
  { partnerName, trader, home }: MailContext,
  { isSample, pagesUrl }: Closing,
): MailWords {
  return {
    ...rest,
    subject: isSample ? `${sample.subject}${subject}` : subject,
    parts: [
      ...(isSample ? [sample.text] : []),
      { greeting: 'Hello' },
      ...parts,
      'If you have a question, reply to this e-mail or call us.',
      [trader.name, trader.phone, trader.email].join('\n'),
      { link: 'Your pages, or a fresh link to them', url: pagesUrl },
      {
        unlessCustomer: [
          { heading: 'If this is not you' },
          `You get this e-mail because ${partnerName}, or another tenant of ${home}, named you. If you are not who was meant, or do not want these e-mails, tell us. Then we will not write to you for ${partnerName} again, unless you become our customer.`,
          { link: 'This is not me, don’t write to me again', opens: 'refusal' },
        ],
      },
    ],
  }
}
