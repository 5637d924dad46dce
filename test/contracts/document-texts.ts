import type { Block, ContractDocument } from '../../src/contracts/document.ts'

/** Every text in a document, in reading order. The PDF and the HTML must each contain exactly these texts. */
export function documentTexts(document: ContractDocument): string[] {
  return [
    ...(document.mark === null ? [] : [document.mark]),
    document.issuer,
    document.title,
    ...document.introduction,
    ...(document.keyFacts === null ? [] : [document.keyFacts.heading]),
    ...(document.keyFacts?.facts ?? []).flatMap(({ label, value, note }) => [label, value, note]),
    document.contentsHeading,
    ...document.sections.map(({ heading }) => heading),
    ...document.sections.flatMap(({ heading, blocks }) => [heading, ...blocks.flatMap(blockTexts)]),
  ]
}

function blockTexts(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
    case 'notice':
      return [block.text]
    case 'list':
      return block.items
    case 'details':
      return block.items.flatMap(({ term, lines }) => [term, ...lines])
    case 'table':
      return [
        block.caption,
        ...block.columns.map(({ heading }) => heading),
        ...block.rows.flat(),
        ...(block.total ?? []),
      ]
    case 'form':
      return [
        block.instruction,
        block.addresseeLabel,
        ...block.addressee,
        block.statement,
        ...block.fields.flatMap(({ label, lines }) => [label, ...lines]),
      ]
  }
}

/** Removes all white space from a text, because each format lays white space out differently. */
export function withoutWhitespace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
