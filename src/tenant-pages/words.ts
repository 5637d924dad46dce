import type { NoticeOf } from '../pages/notices.ts'
import { waitInWords } from '../pages/words.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { countInWords, dayInWords } from '../platform/kernel/in-words.ts'
import { formatPounds, type Pence, pence } from '../platform/kernel/money.ts'

/** Every word that tenants read on our pages, by page. The words of e-mails are in contracts/mails. */
export const words = {
  via: (partner: string) => `With ${partner}`,
  backTo: (partner: string) => `Back to ${partner}`,
  continue: 'Continue',
  save: 'Save',
  signOut: 'Close these pages on this device',
  stepOf: (step: number, steps: number) => `Step ${step} of ${steps}`,
  doNotTopUp:
    'Do not top up with a key, card or app that you found in the home: you could pay somebody else’s debt. Tell the supplier the day you moved in first.',
  heatNetwork:
    'A heat network heats your home. You pay for heating to the network, or to your landlord if they bill you for it: it is not part of these bills, and gas is not offered.',
  perMonth: (amount: Pence) => `${formatPounds(amount)} a month`,
  /** The whole price beside the monthly one, which says little of one or two payments. */
  price: ({ monthlyCost, totalCost }: { monthlyCost: Pence; totalCost: Pence }, payments: number) => {
    const total = formatPounds(totalCost)
    if (payments > 2) return `${formatPounds(monthlyCost)} a month, ${total} in total`
    return payments === 2 ? `${total} in two payments` : total
  },

  privacy: {
    title: 'How we use your data',
    link: 'How we use your data',
    whoHeading: 'Who decides about it',
    who: (operator: string, partner: string) =>
      `${operator} decides how your data is used for your bills and your contract. ${partner} decides about its own list of tenants. Each is a controller, and answers for its own part.`,
    anyPartner: 'The company that invited you',
    fromHeading: 'Where it came from',
    from: (source: string) => `${source} gave us your name and e-mail address. You give us everything else yourself.`,
    anySource: 'The company that invited you, or somebody who shares your home,',
    housemate: 'Somebody who shares your home',
    keptHeading: 'How long we keep it',
    kept: (days: number) =>
      `If no contract comes of an offer, we delete your data ${days} days after the offer ends. We keep what belongs to a contract for six years after its end, because the law allows claims for that long.`,
    complainHeading: 'How to complain',
    complain: (email: string, phone: string) =>
      `Write to ${email} or call ${phone}. You can also complain to the Information Commissioner’s Office at any time: ico.org.uk, 0303 123 1113.`,
    noticeHeading: (operator: string) => `The privacy notice of ${operator}`,
    whyBirthday: 'We ask because you must be 18 to sign, and to tell you from others of your name.',
    whyNeeds: 'We ask only so that suppliers and networks can give you this help.',
    whyCard: 'We ask only so that the payments of your contract can be taken.',
  },

  link: {
    title: 'Your household bills',
    intro: (operator: string) => `${operator} supplies household bills. Press the button to see yours and to go on.`,
    private: 'This link is for you alone. Do not pass it on.',
    button: 'Open my bills',
  },

  newLink: {
    title: 'Get a link to your bills',
    intro: 'Enter your e-mail address. If it belongs to one of our tenants, we send a link to it.',
    email: 'E-mail address',
    button: 'Send me a link',
    emailProblem: 'Enter an e-mail address, like name@example.com',
    sentTitle: 'Check your e-mail',
    sent: 'If this address belongs to one of our tenants, a link is on its way. It can take a few minutes. We send one at most once an hour.',
    without: 'If you no longer have access to your e-mail, call or write to us: see below.',
  },

  notMe: {
    title: 'Is this not you?',
    intro: (partner: string) =>
      `${partner}, or one of its tenants, gave us your address as that of a tenant. If you are not that person, or do not want to be written to, press the button.`,
    refuse: 'Do not write to me again',
    refusedTitle: 'We will not write to you again',
    refused: (partner: string) =>
      `You get no more e-mails from us for ${partner}, unless you become our customer. To remember that, we keep a code of your address that cannot be turned back into it.`,
    allow: 'Write to me after all',
  },

  noReminders: {
    title: 'Do you want no more reminders?',
    intro: (partner: string) => `We remind you that you have not signed for the bills that ${partner} offers you.`,
    refuse: 'Send me no more reminders',
    refusedTitle: 'We send you no more reminders',
    refused: (partner: string) =>
      `You are not reminded again that you have not signed for the bills that ${partner} offers you. Your link goes on working.`,
    allow: 'Remind me after all',
  },

  ended: {
    title: 'Open your link again',
    text: 'These pages close by themselves after 12 hours, when you get a newer link, and when you are taken off the household’s list. A link works for 30 days.',
    again:
      'Open the newest link that you were sent, or get a new one. If none comes, ask the company that invited you.',
    newLink: 'Get a new link',
    kept: 'What you have just entered is kept in this window. Open your link in another one, come back here, and go on.',
    goOn: 'I have opened my link: go on',
  },
  closed: {
    title: 'Your pages are closed',
    text: 'Nobody can open them on this device without a link and a code. Nothing that you sent is lost.',
  },
  stopped: {
    title: 'Your bills cannot be set up here at present',
    text: (operator: string) =>
      `The company that invited you does not arrange bills at the moment. ${operator} can tell you what happens next. You have no contract, and nothing is taken from you.`,
  },
  cancelled: {
    title: 'This offer was cancelled',
    text: 'You have no contract from it, and nothing is taken from you. If you do not know why, ask the company that invited you.',
  },
  notNow: 'Nothing was changed. Open your link again to see how things are, or ask us: see below.',

  code: {
    title: 'Check that it is you',
    intro: (masked: string) =>
      `What you have told us is private, so we check once on each device that you can read e-mails to ${masked}.`,
    send: 'Send me a code',
    sent: (masked: string, minutes: number) =>
      `We have sent six digits to ${masked}. They work for ${minutes} minutes. Look in your junk folder too.`,
    sandbox: (code: string) => `This is a sandbox, so here it is: ${code}`,
    label: 'Six-digit code',
    wrong: 'That code is wrong or no longer works. Check the digits, or get a new code',
    again: 'Send another code',
    otherAddress: 'Use another address',
    first: {
      title: 'Your e-mail address',
      intro: 'Your contract and everything about it goes there. We send it a code, to check that it is yours.',
      send: 'Send me a code',
      sure: (email: string) => `Yes, ${email} is my address`,
      sureProblem: 'Check the end of your address and tick the box',
    },
    notSent: (phone: string) =>
      `We cannot send e-mails to your address. If you once told us not to write to it, or it is wrong, call us: ${phone}`,
    limited: (seconds: number) =>
      `Several codes were sent for this link, so you can have another one in ${waitInWords(seconds)}. The last code works until then if it is less than ten minutes old. If you asked for none of them, get a new link: then this one ends.`,
    onItsWay: (masked: string, minutes: number) =>
      `Our e-mail to ${masked} with six digits has not been accepted yet. We go on trying for ${minutes} minutes; the digits work as long.`,
  },

  welcome: {
    title: (firstName: string) => (firstName === '' ? 'Your household bills' : `Hello ${firstName}`),
    intro: (address: string) => `This is what your bills at ${address} would cost you.`,
    yourShare: 'Your share',
    yourPrice: 'Your price',
    inTotal: 'For the whole contract',
    total: (amount: Pence, setUp: Pence) =>
      `${formatPounds(amount)}${setUp === 0 ? '' : `, with set-up of ${formatPounds(setUp)}`}`,
    household: (amount: Pence, people: number) =>
      people === 1
        ? `${formatPounds(amount)} a month for the whole home`
        : `One of ${countInWords(people)} equal shares of ${formatPounds(amount)} a month`,
    payment: (payments: number) => (payments === 1 ? 'Payment' : 'First payment'),
    on: (amount: Pence, day: IsoDate) => `${formatPounds(amount)} on ${dayInWords(day)}`,
    dates: 'Contract',
    fromTo: (from: IsoDate, to: IsoDate) => `${dayInWords(from)} to ${dayInWords(to)}`,
    included: 'What is included',
    ownShare: 'You owe us your own share only; we never ask you for a housemate’s.',
    unlessAll: (day: IsoDate) => `If not everyone signs by ${dayInWords(day)}, nobody has a contract and nobody pays.`,
    unlessAllUndated: 'The contract begins only when everyone in the household has signed. Until then nobody pays.',
    takesOver: (day: IsoDate) =>
      `You take over a housemate’s share from ${dayInWords(day)}. Until you sign, their contract goes on, and you owe nothing.`,
    introducer: (partner: string, operator: string, amount: string) =>
      `${partner} introduced you to ${operator}, and ${operator} pays ${partner} ${amount} for that.`,
    whatNext:
      'It takes about five minutes. You need a bank card and your date of birth. Nothing is agreed before the last step.',
    button: 'Start',
    expiredTitle: 'These prices have expired',
    expired: (day: IsoDate) =>
      `They were valid until ${dayInWords(day)}. Get today’s prices: they can be lower or higher. What you have told us is kept.`,
    renew: 'Show today’s prices',
    offerOver:
      'Too little of the contract is left for new prices. Ask the company that invited you for a new offer. You have no contract from this one, and nothing is taken from you.',
    noPackages:
      'The services of your home have not been chosen yet. The company that invited you does that. Come back when they are.',
  },

  details: {
    title: 'Your details',
    intro: 'We put these in your contract.',
    name: 'Name',
    firstName: 'First name',
    lastName: 'Last name',
    email: 'E-mail address',
    phone: 'Phone number',
    phoneHint: 'We call only if something is wrong with your supply or a payment.',
    phoneKnown: (ending: string) =>
      `We were given a number that ends in ${ending}. Leave this empty if that is yours. We call only if something is wrong with your supply or a payment.`,
    dateOfBirth: 'Date of birth',
    dateOfBirthHint: 'For example, 27 3 1999. You must be 18 or older.',
    problems: {
      '/firstName': 'Enter your first name',
      '/lastName': 'Enter your last name. If you have none, enter a dash',
      '/email': 'Enter an e-mail address that no housemate uses, like name@example.com',
      '/phone': 'Enter a phone number, like 07700 900123, or +33 6 12 34 56 78 for one abroad',
      '/dateOfBirth': 'Enter the day you were born, as day, month and year. You must be 18 or older',
    },
    sure: (email: string) => `Yes, ${email} is my address`,
    sureProblem: 'Check your new e-mail address and tick the box. We send the link to these pages there',
    given: 'You have given us your details',
    changedTitle: 'Your e-mail address is changed',
    changedEmail: 'So these pages are closed. We send a link to the new address. If it does not come, get another one.',
    changedByPartner: 'So these pages are closed. Ask the company that invited you for a new link.',
    birthdayAgain: 'We do not show it again. Enter it only if what was given is wrong. For example, 27 3 1999.',
    birthdayKept: 'We do not show your date of birth again. If it was wrong, call us.',
    topUp: 'Do you top up with a key, card or app?',
    topUpHint: 'It says how the energy meters of your home work at present. You need not answer.',
    topUps: { prepayment: 'Yes', credit: 'No', unknown: 'I don’t know' },
    moveInDay: 'When do you get the keys?',
    moveInHint: (firstDay: IsoDate) =>
      `Only if it is before ${dayInWords(firstDay)}, the first day of your contract. For example, 27 3 2027. You need not answer.`,
    moveInProblem:
      'Enter the day you get the keys, or leave it empty. It cannot be after the first day of your contract',
  },

  needs: {
    title: 'Extra help from your suppliers',
    intro:
      'Energy suppliers and networks keep a register of people who need extra help, for example in a power cut. It is free. Nobody has to register.',
    skip: 'Continue without this',
    register: 'I want to register',
    chosenTitle: 'Which of these apply?',
    categories: 'Choose all that apply to you, or to a child you look after',
    categoriesHint: 'Another adult can register on their own pages, or by calling 105.',
    until: 'Until when?',
    untilHint: 'For example, 31 3 2027',
    childBorn: 'When was the youngest child born?',
    contactHeading: 'Somebody we can talk to',
    contactIntro:
      'The register needs a second person whom suppliers can contact about you. They must have agreed to this.',
    contactFirstName: 'Their first name',
    contactLastName: 'Their last name',
    contactRelationship: 'Who they are to you, for example your mother',
    contactPhone: 'Their phone number',
    contactAgreed: 'They have agreed that suppliers may contact them',
    consent: (operator: string, recipients: string) =>
      `I agree that ${operator} gives these details to ${recipients}, to register my needs.`,
    supplier: (name: string, service: string) => `${name}, who supplies my ${service}`,
    network: (service: string, name: string | undefined) =>
      `the ${service} network of my home${name === undefined ? '' : ` (${name})`}`,
    consentHint: 'This is health data. You can withdraw at any time on these pages.',
    byPhone: (phone: string) =>
      `If there is nobody you want to name, register by telephone instead: call ${phone}, or your network on 105.`,
    problems: {
      categories: 'Choose at least one need',
      consent: 'Tick the box if you agree. Without it we cannot pass on your details, so you cannot register here',
    },
    contactProblems: {
      firstName: 'Enter their first name',
      lastName: 'Enter their last name. If they have none, enter a dash',
      relationship: 'Enter who they are to you',
      phone: 'Enter their phone number, like 07700 900123',
      consentGiven: 'Tick the box if they have agreed. Without it suppliers cannot contact them',
    },
    groups: {
      medical_equipment: 'Medical equipment',
      health: 'Health',
      mobility: 'Moving and reaching',
      sensory: 'Sight, hearing and smell',
      communication: 'Language and speech',
      cognitive: 'Memory and learning',
      age: 'Age and family',
      temporary: 'For some time',
      support: 'Other',
    },
    extraProblem: 'Enter the date for this need',
    dateProblem: 'Give a date to come for a need that ends, and a past one for a birthday',
    told: (day: IsoDate) => `You told us about your needs on ${dayInWords(day)}. We do not show them again.`,
    replace: 'Replace what I told you',
    withdraw: 'Withdraw it',
    button: 'Save my needs',
  },

  earlySupply: {
    title: 'When should supply begin?',
    intro: (start: IsoDate) =>
      `You have 14 days to change your mind after the contract takes effect. Your contract is to begin on ${dayInWords(start)}, which can be within these days.`,
    question: 'Choose one',
    begin: (start: IsoDate) => `Begin on ${dayInWords(start)}`,
    beginHint:
      'I ask for supply to begin before the 14 days are over. If I cancel within them, I pay for what was supplied until then.',
    wait: 'Do not begin before the 14 days are over',
    waitHint: 'Then the contract needs a later first day.',
    problem: 'Choose when supply should begin',
    waitTitle: 'Your contract needs a later first day',
    waitText: (partner: string) =>
      `You have not asked for supply within the 14 days, so you cannot sign a contract that begins then. Ask ${partner} for an offer with a later first day. What you have told us is kept. If you change your mind, choose again.`,
    laterText:
      'You lead your household, so you can choose a later first day for everybody. Prices are worked out again for the new days.',
    laterStart: 'First day of the contract',
    laterHint: (days: number) =>
      `At least ${days} days from now, so that everybody can sign and the 14 days are over. For example, 1 9 2027.`,
    laterButton: 'Begin on this day',
    laterProblem: 'Enter a day to come, as day, month and year',
    notLater: (start: IsoDate) => `Enter a day after ${dayInWords(start)}, the first day at present`,
    tooLate: 'Enter an earlier day. Too little of the contract would be left after this one',
    chooseAgain: 'Choose again',
  },

  payments: {
    title: 'What you pay, and when',
    planIntro: (share: { monthlyCost: Pence; totalCost: Pence }, count: number, from: IsoDate, to: IsoDate) => {
      const price = words.price(share, count)
      if (count === 1) return `You pay ${price} once, on ${dayInWords(from)}. It is taken from your card.`
      const days =
        count === 2
          ? `on ${dayInWords(from)} and ${dayInWords(to)}`
          : `${countInWords(count)} payments from ${dayInWords(from)} to ${dayInWords(to)}`
      return `You pay ${price}: ${days}. Each is taken from your card.`
    },
    firstMore: (first: Pence, what: string, count: number) =>
      count === 1 ? `It pays for ${what}.` : `The first payment is ${formatPounds(first)}. It pays for ${what}.`,
    caption: 'Your payments',
    day: 'Day',
    what: 'What it pays for',
    amount: 'Amount',
    total: 'Total',
    fixed: 'These prices are fixed for the whole contract.',
    fixedMetered: 'They do not depend on your meter readings.',
    previewHeading: 'Read the contract first',
    preview: 'The draft contract has all the details. You can read it now, and again before you sign.',
    previewHtml: 'Read the draft',
    previewPdf: 'The draft as a PDF',
    needsLink: 'Tell us if you, or a child you look after, need extra help',
  },

  household: {
    title: 'Your household',
    intro: (address: string) => `These people share the bills at ${address}.`,
    signed: 'signed',
    notYet: 'not yet',
    you: 'you',
    complete: 'Everybody who shares the bills is on this list.',
    question: 'Is this everybody who shares the bills?',
    questionHint: 'The first card that somebody adds fixes people, services, prices and dates for all of you.',
    everybody: 'Yes, this is everybody',
    introForOne: (address: string) => `So far, you alone pay the bills at ${address}.`,
    completeForOne: 'You alone pay the bills.',
    questionForOne: 'Do you pay the bills alone?',
    questionHintForOne: 'When you add your card, services, prices and dates are fixed.',
    onlyMe: 'Yes, I pay alone',
    add: 'Add a housemate',
    addButton: 'Add',
    name: 'Their full name',
    email: 'Their e-mail address',
    permission: 'They have agreed that you give us their name and address, and that we write to them',
    sure: (email: string) => `Yes, ${email} is their address`,
    sureProblem: 'The end of the address looks misspelt. Correct it, or tick the box if it is right',
    correct: 'Correct or remove',
    correctTitle: (name: string) => `Correct ${name}`,
    correctIntro: 'Their link ends and they get a new one. What they have told us is dropped.',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove ${name}?`,
    removeIntro: 'Their link ends and what they have told us is deleted. The bills are split between the others.',
    locked: (day: IsoDate) =>
      `People, services, prices and dates are fixed until ${dayInWords(day)}. If somebody is missing, the offer must be opened again: then those who have signed must sign again, cards stay saved, and the price is recalculated for everybody. Ask the company that invited you.`,
    waitsFor: (name: string) =>
      `${name} leads your household and still has to say that everybody is here. Your details are saved. Come back later: your link goes on working.`,
    somebody: 'The first of your housemates',
    left: 'Somebody who has left',
    nobodyLeads: {
      title: 'Will you lead your household?',
      intro:
        'Whoever led it has left. The lead tenant says when everybody is here, can add, correct and remove housemates until then, and may choose a later first day. It costs nothing more, and nobody pays for another.',
      button: 'Yes, I lead our household',
    },
    changed: 'Somebody was added or removed meanwhile. Look at the list again',
    nameProblem: 'Enter their first and last name',
    emailProblem: 'Enter an e-mail address that nobody else in the household has',
    permissionProblem: 'Tick the box if they have agreed. Without it we cannot write to them',
    confirmedAlready:
      'They have confirmed their e-mail address, so only they or the company that invited you can change this.',
  },

  card: {
    title: 'Your card',
    intro: (amount: Pence, payee: string, day: IsoDate, later: number) =>
      `${payee} takes ${formatPounds(amount)} from this card on ${dayInWords(day)}${later === 0 ? '' : later === 1 ? ', and then once more as on the plan' : ', and then each month as on the plan'}. Adding the card takes nothing.`,
    fixesForOne: 'When you go on, services, prices and dates are fixed for some days, so that you can read and sign.',
    fixes:
      'When you go on, people, services, prices and dates are fixed for your household for some days, so that everybody can sign the same.',
    button: 'Add a card',
    waiting: 'The card is not saved yet. If you have just added it, wait a moment and look again.',
    look: 'Look again',
    tryAgain: 'Try another card',
    notSaved: 'The card is not saved, and nothing was taken.',
    declined: 'The card was declined, so it is not saved. Nothing was taken. Check the details, or use another card.',
    saved: (brand: string, last4: string) => `${brand} ending ${last4} is saved.`,
    savedUnnamed: 'Your card is saved.',
    another: 'Use another card',
    needsScript: 'The card’s field needs JavaScript. Everything else works without it.',
    byPhone: ({ name, phone }: { name: string; phone: string }) => `To give your card, call ${name} on ${phone}.`,
  },

  cardEntry: {
    button: 'Save this card',
    loading: 'The card’s field is loading…',
    sending: 'Your card is being checked…',
    notLoaded: 'The card’s field could not be loaded. Check your internet connection, and open this page again.',
    notSent: 'Your card could not be sent, so it is not saved. Check your internet connection, and try again.',
    whoSees: 'The field is Stripe’s, who keep the card. We see only its last four digits and when it expires.',
  },

  agree: {
    title: 'Read and agree',
    intro: 'Read the draft of your contract before you agree.',
    blockTitle: 'What you agree to',
    leaving: 'Leaving early',
    whoSigns: 'Who signs',
    givenByYou: 'Were these details given by you, and are they right? If not, change them before you agree.',
    change: 'Change',
    notShown: 'given, and not shown',
    notYourHome: (partner: string) => `If this is not your home, do not agree, and ask ${partner}.`,
    button: (price: string) => `Agree and pay ${price}`,
  },

  done: {
    title: 'You have signed',
    waits: (names: string) => `Your contract takes effect when everybody has signed. Still to sign: ${names}.`,
    waitsUntil: (day: IsoDate) => `If not everyone signs by ${dayInWords(day)}, nobody has a contract and nobody pays.`,
    inForce: 'Your contract is in force.',
    nextTitle: 'What happens next',
    payment: (amount: Pence, day: IsoDate, payments: number) =>
      `The ${payments === 1 ? '' : 'first '}payment, ${formatPounds(amount)}, is taken on ${dayInWords(day)}.`,
    starts: (day: IsoDate) => `Supply under this contract begins on ${dayInWords(day)}.`,
    untilThen: (day: IsoDate, people: number) =>
      `Until ${dayInWords(day)}, the home’s present supplier supplies you. Read the meters on the day you get the keys, and tell that supplier your ${people === 1 ? 'name' : 'names'}.`,
    readings: 'Read the meters on the first day of this contract, and send us the readings here.',
    mail: 'You get the contract by e-mail.',
    mailOnceInForce: 'You get the contract by e-mail once it is in force.',
    contract: 'Read your contract',
    contractPdf: 'Your contract as a PDF',
    calendar: 'Put the payments into your calendar',
    calendarName: (operator: string) => `Household bills: ${operator}`,
    calendarPayment: (amount: Pence, operator: string) => `${operator} takes ${formatPounds(amount)}`,
    calendarFirstDay: 'First day of your household bills contract',
    calendarLastDay: 'Last day of your household bills contract',
    household: 'Who in the household has signed',
  },

  home: {
    home: 'Home',
    services: 'Services',
    price: 'You pay',
    next: 'Next payment',
    noNext: 'None',
    number: 'Contract number',
    term: 'First and last day',
    neverBegan: (from: IsoDate, to: IsoDate) =>
      `It never began. It was to run from ${dayInWords(from)} to ${dayInWords(to)}.`,
    card: 'Card',
    cardEnding: (last4: string) => `ending ${last4}`,
    menu: 'What you can do',
    contract: 'Read your contract',
    contractPdf: 'Your contract as a PDF',
    changeCard: 'Use another card',
    changeDetails: 'Correct your details',
    status: 'State',
    statuses: {
      planned: 'to come',
      due: 'being taken',
      failed: 'failed',
      paid: 'paid',
      refunded: 'paid back',
      disputed: 'disputed',
    },
    retried: (day: IsoDate) => `failed; we try again on ${dayInWords(day)}`,
    failure: (amount: Pence, day: IsoDate) =>
      `Your payment of ${formatPounds(amount)} due on ${dayInWords(day)} failed.`,
    endedBefore: (day: string) => `It ended on ${day}, before it began.`,
    refundStatuses: { planned: 'we pay it back by this day', paid: 'paid back' },
    states: {
      agreed: {
        heading: 'You have signed',
        sentence: () =>
          'Your contract takes effect when everybody in the household has signed. Until then you owe nothing.',
      },
      in_force: { heading: 'Your contract is in force', sentence: (day: string) => `Its last day is ${day}.` },
      cancelled: { heading: 'Your contract is cancelled', sentence: (day: string) => `It was cancelled on ${day}.` },
      ended: {
        heading: 'Your contract has ended',
        sentence: (day: string) => `Its last day was ${day}.`,
        moved: 'The first day was moved, so the contract that you signed before ended without a fee.',
      },
      lapsed: {
        heading: 'This contract never took effect',
        sentence: () => 'Not everybody signed in time, so nobody owes anything under it.',
      },
      superseded: {
        heading: 'This contract never took effect',
        sentence: () => 'The offer was changed before everybody had signed, so nobody owes anything under it.',
      },
    },
  },

  ending: {
    lastDay: 'Last day',
    supply: 'Supply until then',
    setUp: 'Set-up',
    fee: 'Fee for leaving early',
    none: 'None',
    total: 'Total',
    paid: 'You have paid',
    reduction: 'Reduction of the price',
    waived: 'We do not ask for',
    owedAgain: 'Owed again; we write before we take it',
    lateFees: 'Fees for failed payments, besides the total',
    nothingBesides: 'Apart from this, you owe nothing more.',
    refund: (amount: Pence, by: IsoDate | null) =>
      `We pay you back ${formatPounds(amount)}${by === null ? '' : ` by ${dayInWords(by)}`}.`,
    lastPayment: (amount: Pence, day: IsoDate) => `The last payment is ${formatPounds(amount)}, on ${dayInWords(day)}.`,
    feePayment: (amount: Pence, day: IsoDate) =>
      `The fee for leaving early, ${formatPounds(amount)}, is taken on ${dayInWords(day)}.`,
    asPlanned: (amount: Pence) =>
      `The payments that are planned until then go ahead: in total ${formatPounds(amount)}.`,
    nothing: 'You owe nothing more.',
    changed: 'This has changed since you opened the page. Look at it again before you go on',
  },

  cancel: {
    title: 'Cancel within the 14 days',
    withdrawTitle: 'Withdraw before the contract takes effect',
    intro: (until: string) => `You can cancel without a reason until the end of ${until}.`,
    introUnconfirmed: 'You can still cancel without a reason: the confirmation of your contract was not sent yet.',
    others: 'Your housemates’ contracts go on, and they do not pay your share.',
    withdrawIntro:
      'Your contract has not taken effect. You can withdraw, free, and sign again as long as the offer is open.',
    withdrawOthers: 'Without you, nobody’s contract takes effect.',
    owed: 'What you pay or get back',
    button: 'Cancel my contract',
    withdrawButton: 'Withdraw',
    stay: 'Keep my contract',
  },

  leave: {
    title: 'End your contract early',
    intro: 'Choose your last day. You then see what you pay or get back, before anything happens.',
    from: 'It can be any day from',
    to: 'to',
    free: 'There is no fee.',
    freeFrom: 'There is no fee from',
    day: 'Your last day',
    dayHint: 'For example, 30 6 2027',
    beforeTitle: 'End your contract before it begins?',
    work: 'Show what it costs',
    problem: 'Enter a day that the notice of your contract allows, before its last day',
    confirmTitle: (day: string) => `End your contract on ${day}?`,
    jointTenancy:
      'You hold a joint assured tenancy in England: one tenant’s valid notice to the landlord ends it for all of you. Who stays usually signs a new tenancy.',
    reason: 'Why does it end?',
    reasonHint: 'We want no proof.',
    reasons: {
      tenancy_ended: 'My tenancy ends',
      tenancy_did_not_start: 'My tenancy did not start: I did not get the home',
      property_uninhabitable: 'Nobody can live in the home',
      other: 'Another reason, or none',
    },
    askGroup:
      'Or ask us to end it without a fee. We want no proof, and tell neither your housemates nor the company that arranged your bills.',
    causes: {
      breach_by_us: 'You did not do what you promised me',
      moved_into_care: 'I move into care',
      serious_illness: 'I am seriously ill',
      left_for_safety: 'I left to be safe',
    },
    comment: 'If you ask us: anything that we should know, and how to reach you (optional)',
    asked: (due: IsoDate) =>
      `You asked us to end your contract. We decide by ${dayInWords(due)}. Until then it goes on, and you can still end it yourself.`,
    answered: (answer: string) => `You asked us to end your contract. We answered: ${answer}`,
    longAgo:
      'If your tenancy ended longer ago, enter that day. We check it, and collect nothing for the time after meanwhile.',
    reasonMissing: 'Choose why it ends',
    reasonProblem: 'Supply has begun, so this cannot be chosen any more. If your tenancy ends, choose that.',
    responsible:
      'Until your tenancy ends you are responsible for the energy of your home, even if nobody lives there. Enter your tenancy’s last day, not the day you leave.',
    ifTenancyEnds: 'If your tenancy ends or nobody can live in the home, from',
    binding: 'Until supply is ended, you can still choose another day or take this back on these pages.',
    button: 'Give notice',
    stay: 'Keep my contract',
  },

  tenancyEnd: {
    title: 'The tenancy of your household ends',
    intro:
      'If the tenancy ends for all of you, tell us here. Your contract ends on the same day without a fee: you pay your share until that day and nothing for the time after.',
    responsible:
      'Until your tenancy ends you are responsible for the energy of your home, even if nobody lives there. Enter your tenancy’s last day, not the day you leave.',
    reason: 'Why does it end?',
    reasons: {
      tenancy_ended: 'The tenancy ends',
      tenancy_did_not_start: 'The tenancy never began',
      property_uninhabitable: 'Nobody can live in the home',
    },
    reasonProblem: 'Choose why it ends',
    lastDay: 'The last day of the tenancy',
    dayHint: 'For example, 30 6 2027',
    dayProblem: 'Enter a day from today, before the last day of your contract',
    othersAsked:
      'Each of your housemates is asked whether the tenancy ends for them. Nobody else’s contract ends because you told us, and we do not say who did.',
    told: (day: IsoDate) => `You told us that the tenancy ends on ${dayInWords(day)}.`,
    takeBack: 'Take it back: I stay',
    another: 'Another day',
    question: (day: IsoDate) => `We were told that your tenancy ends on ${dayInWords(day)}. Is that right for you?`,
    answers: { leaves: 'Yes, I leave too', stays: 'No, I stay', other_day: 'It ends on another day' },
    otherDay: 'Your tenancy’s last day',
    answerProblem: 'Choose an answer',
    given: (answer: string) => `You answered: ${answer}. You can change your answer.`,
    private: (until: IsoDate) =>
      `Your answer counts until the end of ${dayInWords(until)}. We tell nobody what you answer.`,
    goes: 'Your housemates’ contracts do not end because of what you answer.',
    endsSooner: 'Your own contract ends sooner anyway.',
    confirmTitle: 'End your contract with the tenancy?',
    button: 'Yes, my tenancy ends',
  },

  keep: {
    title: 'Take back the end of your contract',
    intro: (day: string) => `Your contract then goes on until ${day}, as agreed. You pay what you would have paid:`,
    button: 'Take it back',
    stay: 'Leave it as it is',
  },

  handOver: {
    title: 'Hand over to a new housemate',
    progressTitle: 'Your handover to a new housemate',
    intro:
      'Somebody takes over the rest of your share, at the same prices. Your contract ends the day before, without a fee. Until they sign, you stay liable.',
    name: 'Their full name',
    email: 'Their e-mail address',
    permission: 'They have agreed that you give us their name and address, and that we write to them',
    from: 'Their first day',
    fromHint: 'For example, 1 7 2027. Tomorrow at the earliest.',
    work: 'Show what each of you pays',
    problems: {
      name: 'Enter their first and last name',
      email: 'Enter an e-mail address that nobody in the household has or had',
      from: 'Enter a day from tomorrow until shortly before your last day',
      permission: 'Tick the box if they have agreed. Without it we cannot write to them',
    },
    confirmTitle: (name: string) => `Hand over to ${name}?`,
    ifInTime:
      'These figures hold if they sign before their first day. If they sign later, they begin the day after, and you pay until then.',
    youPay: 'You',
    theyPay: (name: string) => name,
    joiner: (price: string, first: Pence, firstDay: IsoDate, from: IsoDate, to: IsoDate) =>
      `${price} from ${dayInWords(from)} to ${dayInWords(to)}; the first payment, ${formatPounds(first)}, on ${dayInWords(firstDay)}.`,
    button: 'Send them their link',
    progress: (name: string, from: string, state: string) => `${name} is to take over from ${from}: ${state}.`,
    states: { active: 'has not begun', PersonalInfoComplete: 'has begun', OnboardingComplete: 'has signed' },
    withdraw: 'Withdraw the handover',
    withdrawIntro:
      'Until they sign, you can withdraw it. What they have told us is deleted, and your contract goes on.',
  },

  readings: {
    title: 'Meter readings',
    intro:
      'Send a reading on the day you get the keys, and on the last day. It changes no price: it tells the suppliers where your bills begin and end.',
    service: 'Which meter?',
    services: { electricity: 'Electricity', gas: 'Gas' },
    registers: { day: 'day rate', night: 'night rate' },
    day: 'Day of the reading',
    dayHint: 'For example, 1 2 2027',
    reading: 'Reading',
    readingHint: 'The digits before the decimal point',
    serial: 'Serial number on the meter (if you can find it)',
    serialHint: 'It shows whether the supplier has your meter, and not that of another flat',
    button: 'Send the reading',
    problems: {
      service: 'Choose the meter',
      readOn:
        'Enter the day on which you read the meter: from moving in to a week after your contract, and not in the future',
      reading: 'Enter the digits of the meter',
      meterSerial: 'Enter the letters and digits of the serial number, at most 20',
    },
    given: 'Readings so far',
  },

  movingOut: {
    title: 'Moving out',
    intro:
      'Suppliers can only close your account if they know where to write to you and who is responsible for the home after you. You need not answer.',
    address: 'Your address after you leave',
    addressHint:
      'For final bills and letters only. Your housemates never see it, nor does the company that invited you',
    who: 'Who is responsible for the home after you?',
    whoHint: 'The landlord, if it stays empty',
    notKnown: 'I do not know',
    kinds: { landlord: 'The landlord', agent: 'The letting agent', new_tenants: 'New tenants' },
    name: 'Their name, if you know it',
    contact: 'Their telephone number or e-mail address, if you know it and may give it to us',
    problems: {
      forwardingAddress: 'Enter the address on one line, with at most 300 letters',
      name: 'Enter the name on one line, with at most 200 letters',
      contact: 'Enter how to reach them on one line, with at most 200 letters',
    },
  },

  complaints: {
    title: 'Complaints, and how to reach us',
    email: 'E-mail',
    phone: 'Phone',
    post: 'Post',
    ombudsman: 'If we do not agree',
    without: 'Without e-mail',
    withoutText: (phone: string, address: string) =>
      `You can do everything by telephone or letter too: call ${phone}, or write to ${address}.`,
  },

  death: {
    title: 'If somebody in your home has died',
    intro:
      'We are sorry. Tell us here, and we stop our e-mails and payments for this person at once. We tell nobody who told us. What you pay yourself stays the same.',
    call: (phone: string) => `You can call us instead: ${phone}.`,
    who: 'Who has died',
    relationship: 'Who you are to them',
    diedOn: 'Day of death (optional)',
    diedOnHint: 'Leave it empty if you do not know it.',
    estate: 'Who takes care of their affairs (optional)',
    estateHint: 'A name, and a telephone number or an address.',
    button: 'Tell us',
    problems: {
      who: 'Choose who has died.',
      relationship: 'Say who you are to them, such as a housemate or a sister.',
      diedOn: 'Enter the day, such as 27 3 2027. It cannot be in the future.',
      estate: 'Use fewer words.',
    },
    held: (phone: string) => `We have paused your payments and our e-mails to you. Please call us: ${phone}.`,
  },

  /** What happened and what to do, when a page could not do what it was asked. By the error's code. */
  notices: {
    end_requested: 'Thank you. We look at it and answer on this page. Until then your contract goes on.',
    death_reported: 'Thank you for telling us. We take care of it.',
    quote_expired: 'The prices have run out meanwhile. Look at today’s prices before you go on.',
    quote_locked:
      'People, services, prices and dates are fixed at present, because a card was added. Nothing was changed.',
    quote_cancelled: 'This offer was cancelled meanwhile. You have no contract from it.',
    already_onboarded: 'You have signed already. Nothing was changed.',
    payment_setup_incomplete: 'Your card is not saved yet. Add it first.',
    personal_information_required: 'We need your details first.',
    supply_request_required: 'Choose first when supply should begin.',
    price_changed: (before: number, now: number) =>
      `The price has changed: it was ${formatPounds(pence(before))} a month, and is ${formatPounds(pence(now))} a month now. Read the draft again before you agree.`,
    price_unchanged: (now: number) => `Today’s price is what it was: ${formatPounds(pence(now))} a month.`,
    lock_ended: 'The time for which your price was kept is over. It is still the same. Read again what you agree to.',
    terms_changed: 'Something in the contract has changed since you opened this page. Read it again before you agree.',
    terms_not_shown: 'Read the draft of your contract first.',
    broadband_products_required:
      'The broadband of your home has not been chosen yet. Nothing was changed. Come back later.',
    packages_required: 'The services of your home have not been chosen yet. Come back later.',
    duplicate_tenant: 'Somebody else in the household has this e-mail address. Use another one.',
    customer_removed: 'You are not on this household’s list any more.',
    customer_erased: 'What you told us was deleted.',
    replacement_not_possible: 'This cannot be taken over any more. Nothing was changed.',
    replacement_open: 'Somebody is about to take over already. Withdraw that first.',
    contract_not_in_force: 'There is no contract in force that this would change. Nothing was changed.',
    contract_not_cancellable:
      'The days in which you can cancel without a reason are over. If you can still end the contract early, your page offers it.',
    early_exit_not_defined: 'Your contract does not say how to end it early. Ask us: see below.',
    end_date_not_allowed: 'This day cannot be chosen, or the end of your contract cannot be changed any more.',
    changed: 'Saved.',
    unchanged: 'You have changed nothing.',
    needs_withdrawn:
      'We have withdrawn your needs. If a network was told already, it is told to take you off its register.',
    notice_received: 'We have your notice.',
    end_taken_back: 'Your contract goes on.',
    withdrawn: 'You have withdrawn, and owe nothing. You can sign again as long as the offer is open.',
    cancelled: 'Your contract is cancelled.',
    link_sent: 'We have sent them their link. You see here when they have signed.',
    link_not_taken:
      'Saved. No mail server has taken our e-mail with their link yet. Check their address. If it is right, wait, or ask the company that invited you to send them their link.',
    link_by_partner: 'Saved. The company that invited you sends them their link. You see here when they have signed.',
    not_found: 'This is not on the list any more. Nothing was changed.',
    too_many_tenants: 'No more people can share these bills. Nothing was changed.',
    reading_saved: 'Your reading is saved.',
    you_stay: 'Your contract goes on.',
    nothing_asked: 'You are not asked any more whether your tenancy ends. Nothing was changed.',
  },
} as const

/** What a page tells has happened: its code with the figures that its words take. */
export type Notice = NoticeOf<typeof words.notices>
