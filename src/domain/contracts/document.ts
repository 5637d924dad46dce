/**
 * A contract document as content without form: what both renderers print, so that HTML and PDF say the same by
 * construction. Every string is plain text of one line; renderers escape it and choose type and layout.
 */
export interface ContractDocument {
  /** Texts in it that tell who the tenant is: nothing is to remember them once it is made. */
  personal: readonly string[]
  /** Who gives the document, in the name tenants know. */
  issuer: string
  title: string
  /** Printed on every page, e.g. that this is a sandbox's sample; null for a real contract. */
  mark: string | null
  introduction: readonly string[]
  keyFacts: { heading: string; facts: readonly KeyFact[] }
  /** The heading over the list of sections, which renderers make from the sections themselves. */
  contentsHeading: string
  sections: readonly Section[]
}

/** What a tenant must find at once: a label, the fact in a few words, and a sentence to it. */
export interface KeyFact {
  label: string
  value: string
  note: string
}

export interface Section {
  /** Stable name for links into the document: lower case, digits and hyphens. */
  id: string
  heading: string
  blocks: readonly Block[]
}

export type Block = Heading | Paragraph | Notice | List | Details | Table | Form

/** A heading within a section. */
export interface Heading {
  kind: 'heading'
  text: string
}

export interface Paragraph {
  kind: 'paragraph'
  text: string
}

/** A paragraph that must not be overlooked. */
export interface Notice {
  kind: 'notice'
  text: string
}

export interface List {
  kind: 'list'
  items: readonly string[]
}

/** Names and what they stand for. */
export interface Details {
  kind: 'details'
  items: readonly Detail[]
}

export interface Detail {
  term: string
  lines: readonly string[]
  /** Where the (only) line leads: a `mailto:`, `tel:` or `https:` address. */
  link?: string
}

/** The first cell of every row names the row. Rows have as many cells as there are columns. */
export interface Table {
  kind: 'table'
  caption: string
  columns: readonly Column[]
  rows: readonly (readonly string[])[]
  total?: readonly string[]
}

export interface Column {
  heading: string
  /** `words` wrap; `label` (a date, a rate) stays on one line; `figure` does too and lines up on the right. */
  holds: 'words' | 'label' | 'figure'
}

/** A form to fill in by hand: addressee, statement, then fields, some of which we have filled in. */
export interface Form {
  kind: 'form'
  instruction: string
  addresseeLabel: string
  addressee: readonly string[]
  statement: string
  fields: readonly FormField[]
}

export interface FormField {
  label: string
  /** No lines: left blank for the tenant. */
  lines: readonly string[]
}
