import { londonDate } from '../../../kernel/dates.ts'
import type { Block, ContractDocument, Section } from '../document.ts'
import { dayInWords } from '../in-words.ts'
import type { OperatorFile } from '../operator.ts'
import { printable } from '../printable.ts'
import { heading, headingWithText, paragraph } from '../sections/blocks.ts'
import type { AgreedTerms } from './agreed-terms.ts'
import { earlyExitInWords, latePaymentInWords } from './fees-in-words.ts'

/** The terms of one version as a document that anyone may read. Says everything that the version's text says. */
export function buildTermsDocument(
  terms: AgreedTerms & { storedAt: Date },
  { operator, realm }: { operator: OperatorFile; realm: 'sandbox' | 'live' },
): ContractDocument {
  const { words, version } = terms
  const trader = printable(operator.trader.name)
  const clauses = words.clauses.flatMap((clause) => headingWithText(printable(clause.heading), clause.text))
  return {
    personal: [],
    issuer: trader,
    reference: `Terms ${version}`,
    title: `The terms of ${trader}`,
    mark: realm === 'sandbox' || operator.sample === true ? 'Sandbox sample' : null,
    introduction: [
      `This is version ${version} of our terms, published on ${dayInWords(londonDate(terms.storedAt))}. It applies to every contract that names this version. Your own contract says what you buy, what it costs, when it starts and ends, and how to cancel.`,
    ],
    keyFacts: null,
    contentsHeading: 'In these terms',
    sections: [
      section('paying', 'Paying', [
        ...withParagraphs('Paying late', latePaymentInWords(terms)),
        ...headingWithText('Deposits and guarantees', words.deposit),
      ]),
      section('ending', 'Leaving early and the end of the contract', [
        ...withParagraphs('Leaving early', earlyExitInWords(terms)),
        ...headingWithText('After the last day', words.atTheEnd),
      ]),
      section('service', 'What you can expect of us', [
        ...headingWithText('Service quality', words.minimumServiceQuality),
        ...headingWithText('Help after you buy', words.afterSales),
        ...headingWithText('Codes of conduct', words.codesOfConduct),
        ...headingWithText('Broadband equipment', words.broadbandEquipment),
        ...headingWithText('Returning equipment', words.returningEquipment),
        ...headingWithText('Features for users with disabilities', words.featuresForDisabledUsers),
      ]),
      ...(clauses.length === 0 ? [] : [section('other', 'Other terms', clauses)]),
    ],
  }
}

function section(id: string, title: string, blocks: Block[]): Section {
  return { id, heading: title, blocks }
}

function withParagraphs(title: string, texts: readonly string[]): Block[] {
  return [heading(title), ...texts.map(paragraph)]
}
