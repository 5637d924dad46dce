import type { Database } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { Block, ContractDocument, Section } from '../document.ts'
import {
  type DocumentFormat,
  type DocumentRenderer,
  documentFormats,
  type RenderedContract,
} from '../document-renderer.ts'
import type { OperatorFile } from '../operator-file.ts'
import { printable } from '../printable.ts'
import { heading, headingWithText, paragraph } from '../sections/blocks.ts'
import { type AgreedTerms, termsOf } from './agreed-terms.ts'
import {
  broadbandOnly,
  conditionInWords,
  type TermsCondition,
  type TermsText,
  termsParagraphs,
} from './conditional-text.ts'
import { depositInWords, earlyExitInWords, latePaymentInWords } from './fees-in-words.ts'
import { findTermsVersion, insertTermsVersion } from './terms-versions.store.ts'

/** The terms of one version as a document that anyone may read. Says everything that the version's text says. */
export function buildTermsDocument(
  terms: AgreedTerms & { storedAt: Date },
  { operator, realm }: { operator: OperatorFile; realm: 'sandbox' | 'live' },
): ContractDocument {
  const { words, version } = terms
  const trader = printable(operator.trader.name)
  const clauses = words.clauses.flatMap(({ heading: title, ...clause }) => withTerms(printable(title), [clause]))
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
        ...headingWithText('Deposits and guarantees', depositInWords(terms)),
      ]),
      section('ending', 'Leaving early and the end of the contract', [
        ...withParagraphs('Leaving early', earlyExitInWords(terms)),
        ...withTerms('After the last day', words.atTheEnd),
      ]),
      section('service', 'What you can expect of us', [
        ...withTerms('Service quality', words.minimumServiceQuality),
        ...withTerms('Help after you buy', words.afterSales),
        ...withTerms('Codes of conduct', words.codesOfConduct),
        ...withTerms('Broadband equipment', words.broadbandEquipment, broadbandOnly),
        ...withTerms('Returning equipment', words.returningEquipment, broadbandOnly),
        ...withTerms('Features for users with disabilities', words.featuresForDisabledUsers, broadbandOnly),
      ]),
      ...(clauses.length === 0 ? [] : [section('other', 'Other terms', clauses)]),
    ],
  }
}

function section(id: string, title: string, blocks: Block[]): Section {
  return { id, heading: title, blocks }
}

/** A text with everything that it says; what is not for every contract is under its condition. */
function withTerms(title: string, text: TermsText, implied?: TermsCondition): Block[] {
  const blocks = termsParagraphs(text, implied).map(({ condition, text: words }): Block => {
    const term = conditionInWords(condition)
    return term === null ? paragraph(words) : { kind: 'details', items: [{ term, lines: [words] }] }
  })
  return [heading(title), ...blocks]
}

function withParagraphs(title: string, texts: readonly string[]): Block[] {
  return [heading(title), ...texts.map(paragraph)]
}

/** The current terms as stored, and whether the operator's file now says something else under the same version. */
interface StoredTerms {
  terms: AgreedTerms
  hasChanged: boolean
}

/**
 * At every start: stores the terms in the operator's file if their version is new. A stored version stays as it is,
 * because tenants may have agreed to it; the caller decides whether to start with a file that differs.
 */
export async function storeTerms({ db }: { db: Database }, operator: OperatorFile): Promise<StoredTerms> {
  const current = termsOf(operator)
  await insertTermsVersion(db, current)
  const terms = await findTermsVersion(db, current.version)
  if (terms === undefined) throw new Error('the terms could not be stored')
  return { terms, hasChanged: terms.sha256 !== current.sha256 }
}

interface ViewTermsDependencies {
  db: Database
  documentRenderer: DocumentRenderer
  operator: OperatorFile
  realm: 'sandbox' | 'live'
}

/** Finds and renders a stored version of the terms. Undefined if there is no such version. */
export type ViewTerms = (version: string, format: DocumentFormat) => Promise<Buffer | undefined>

/**
 * The public pages of the terms. Anyone may read them at any rate, so each version is rendered once and kept; only
 * versions that the operator published take memory.
 */
export function createTermsView({ db, documentRenderer, operator, realm }: ViewTermsDependencies): ViewTerms {
  const rendered = new Map<string, Promise<RenderedContract>>()
  return async (version, format) => {
    const known = rendered.get(version)
    if (known !== undefined) return (await known)[format]
    const terms = await findTermsVersion(db, version)
    if (terms === undefined) return undefined
    // Readers who arrive while a version is being rendered wait for the same pages.
    const pages = rendered.get(version) ?? renderTerms(terms)
    rendered.set(version, pages)
    pages.catch(() => rendered.delete(version))
    return (await pages)[format]
  }

  function renderTerms(terms: AgreedTerms & { storedAt: Date }): Promise<RenderedContract> {
    const document = buildTermsDocument(terms, { operator, realm })
    return documentRenderer.render(
      document,
      { contractId: document.reference, acceptedAt: terms.storedAt },
      { caller: 'terms', formats: documentFormats },
    )
  }
}
