import type { ContractFacts } from '../contract-facts.ts'
import type { Block, Detail, Heading, Paragraph, Section } from '../document.ts'
import { printable, printableParagraphs } from '../printable.ts'
import { type TermsCondition, type TermsText, textFor } from '../terms/conditional-text.ts'

/** A section of the document. `id` names it in links. */
export function section(id: string, title: string, blocks: readonly Block[]): Section {
  return { id, heading: title, blocks }
}

export function heading(text: string): Heading {
  return { kind: 'heading', text }
}

export function paragraph(text: string): Paragraph {
  return { kind: 'paragraph', text }
}

/** Splits an operator's text into paragraphs. */
function operatorParagraphs(text: string): Paragraph[] {
  return printableParagraphs(text).map(paragraph)
}

/** Texts such as the lines of an address, as one line. */
export function onOneLine(texts: readonly string[]): string {
  return texts.map(printable).join(', ')
}

/** A heading followed by an operator's text. */
export function headingWithText(title: string, text: string): Block[] {
  return [heading(title), ...operatorParagraphs(text)]
}

/** A heading followed by what a text of the terms says about this contract; nothing if it says nothing. */
export function headingWithTerms(
  facts: ContractFacts,
  title: string,
  text: TermsText,
  implied?: TermsCondition,
): Block[] {
  const paragraphs = textFor(facts, text, implied).map(paragraph)
  return paragraphs.length === 0 ? [] : [heading(title), ...paragraphs]
}

/** A term and the lines that describe it, without any empty ones. */
export function detail(term: string, ...lines: readonly string[]): Detail {
  return { term: printable(term), lines: lines.map(printable).filter((line) => line !== '') }
}

export function emailDetail(term: string, address: string): Detail {
  const text = printable(address)
  return { term, lines: [text], link: `mailto:${text}` }
}

export function phoneDetail(term: string, number: string): Detail {
  const text = printable(number)
  return { term, lines: [text], link: `tel:${text.replaceAll(/[^\d+]/g, '')}` }
}

/** A labelled website. The text becomes a link only if it is a complete https or http address. */
export function websiteDetail(term: string, website: string): Detail {
  const text = printable(website)
  return /^https?:\/\/\S+$/.test(text) ? { term, lines: [text], link: text } : { term, lines: [text] }
}
