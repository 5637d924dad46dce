import Type, { type TSchema } from 'typebox'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { serviceNames } from '../../quoting/packages/services.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import { printableParagraphs } from '../printable.ts'

/**
 * Which contracts a text of the terms applies to. A contract meets it if it meets both parts; an absent part is always
 * met.
 */
export interface TermsCondition {
  /** The contract includes one of these services. */
  services?: readonly string[]
  /** `sole`: the household has one tenant. `shared`: it has several. */
  household?: 'sole' | 'shared'
}

/** A text of the terms: words for every contract, or parts of which some apply only to certain contracts. */
export type TermsText = string | readonly (TermsCondition & { text: string })[]

/** The members of a condition in the operator's file. */
export const conditionMembers = {
  services: Type.Optional(Type.Array(Type.Enum(serviceNames()), { minItems: 1, maxItems: 10, uniqueItems: true })),
  household: Type.Optional(Type.Enum(['sole', 'shared'])),
}

/** The schema of a text whose parts can have conditions. */
export function termsTextSchema<Text extends TSchema>(text: Text) {
  const part = Type.Object({ text, ...conditionMembers }, { additionalProperties: false })
  return Type.Unsafe<TermsText>(Type.Union([text, Type.Array(part, { minItems: 1, maxItems: 20 })]))
}

/** A paragraph of a text, and the contracts that it applies to. */
interface TermsParagraph {
  condition: TermsCondition
  text: string
}

/** The paragraphs of a text. `implied` is the condition of a text that is in one piece. */
export function termsParagraphs(text: TermsText, implied: TermsCondition = {}): TermsParagraph[] {
  const parts = typeof text === 'string' ? [{ ...implied, text }] : text
  return parts.flatMap(({ text: words, ...condition }) =>
    printableParagraphs(words).map((paragraph) => ({ condition, text: paragraph })),
  )
}

/** The price of a contract, which says what it includes and for whom. */
interface Priced {
  price: Pick<QuotePrice, 'lines' | 'shares'>
}

function appliesTo({ services, household }: TermsCondition, { price }: Priced): boolean {
  const hasService = services === undefined || price.lines.some(({ type }) => services.includes(type))
  const isSole = price.shares.length === 1
  return hasService && (household === undefined || (household === 'sole') === isSole)
}

/** The paragraphs of a text that apply to this contract. */
export function textFor(facts: Priced, text: TermsText, implied?: TermsCondition): string[] {
  return termsParagraphs(text, implied)
    .filter(({ condition }) => appliesTo(condition, facts))
    .map(({ text: paragraph }) => paragraph)
}

/**
 * A condition as the public terms state it, e.g. "If your contract includes electricity or gas". Null if the text is
 * for every contract.
 */
export function conditionInWords({ services, household }: TermsCondition): string | null {
  const parts = [
    ...(services === undefined ? [] : [`your contract includes ${listInWords(services, 'or')}`]),
    ...(household === undefined ? [] : [householdInWords[household]]),
  ]
  return parts.length === 0 ? null : `If ${parts.join(' and ')}`
}

const householdInWords = {
  sole: 'you are the only tenant',
  shared: 'your household has more than one tenant',
}

/** Equipment is part of broadband only, so these texts need no condition. */
export const broadbandOnly: TermsCondition = { services: ['broadband'] }
