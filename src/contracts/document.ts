/**
 * The content of a contract document without layout. Both renderers print this content, so HTML and PDF always match.
 * Every string is one line of plain text; renderers escape it and choose the layout.
 */
export interface ContractDocument {
  /** Texts that identify the tenant. A renderer must discard them once it has rendered the document. */
  personal: readonly string[]
  /** The issuer's name, as tenants know it. */
  issuer: string
  /** What the document is about, for its footers and metadata: "Contract …" or "Terms …". */
  reference: string
  title: string
  /** A notice printed on every page, for example of a sandbox sample; null for a real contract. */
  mark: string | null
  introduction: readonly string[]
  /** Null if the document has no box of key facts. */
  keyFacts: { heading: string; facts: readonly KeyFact[] } | null
  /** The heading of the table of contents, which renderers build from the sections. */
  contentsHeading: string
  sections: readonly Section[]
}

/** A key fact: a label, the fact in a few words, and an explanation. */
export interface KeyFact {
  label: string
  value: string
  note: string
}

export interface Section {
  /** A stable id for links into the document, made of lower-case letters, digits and hyphens. */
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

/** A highlighted paragraph. */
interface Notice {
  kind: 'notice'
  text: string
}

export interface List {
  kind: 'list'
  items: readonly string[]
}

/** A list of terms, each with its details. */
interface Details {
  kind: 'details'
  items: readonly Detail[]
}

export interface Detail {
  term: string
  lines: readonly string[]
  /** The link target if there is only one line: a `mailto:`, `tel:` or `https:` address. */
  link?: string
}

/** A table. The first cell of each row names the row; rows have as many cells as there are columns. */
export interface Table {
  kind: 'table'
  caption: string
  columns: readonly Column[]
  rows: readonly (readonly string[])[]
  total?: readonly string[]
}

export interface Column {
  heading: string
  /**
   * `words` may wrap. `label` (a date or a rate) stays on one line. `figure` stays on one line and is aligned right.
   */
  holds: 'words' | 'label' | 'figure'
}

/** A form to complete by hand. It has an addressee, a statement and fields, some of which are already filled in. */
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
  /** If empty, the field is left blank for the tenant to fill in. */
  lines: readonly string[]
}
